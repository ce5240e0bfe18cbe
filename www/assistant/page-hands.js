/**
 * What the assistant can do on any page: read the shop and use it by hand, and know the visitor's screen and locale.
 * None of it knows this shop; it is the package's own. The assistant's own part of the page is out of reach.
 */
import { browserTools, pageTools } from "/pkg/page.js";

/** Makes them. To leave the page would empty the basket, which lives in it: so nothing here does. */
export async function pageHands() {
  const hands = await pageTools({ root: "#storefront", deny: "#assistant, .tabs", mask: ".private", approve: "once" });
  return {
    hands: hands.filter(({ name }) => name !== "navigate"),
    browser: browserTools({ only: ["get_screen", "get_locale"] }),
  };
}
