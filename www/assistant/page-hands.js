/**
 * What the assistant can do on any page: read the shop and use it by hand, and know the visitor's screen and locale.
 * None of it knows this shop; it is the package's own. The assistant's own part of the page is out of reach.
 */
import { tool } from "/pkg/index.js";
import { browserTools, pageTools } from "/pkg/page.js";

/** Makes them. To leave the page would empty the basket, which lives in it: so nothing here does. */
export async function pageHands() {
  const hands = await pageTools({ root: "#storefront", deny: "#assistant, .tabs", mask: ".private", approve: "once" });
  return {
    hands: inWords(hands.filter(({ name }) => name !== "navigate")),
    browser: browserTools({ only: ["get_screen", "get_locale"] }),
  };
}

/** Labels that name the element: who is asked about a click wants to read “Add”, not a ref. */
function inWords(hands) {
  const elements = new Map();
  const note = ({ output }) => {
    for (const [, ref, role, name] of output.matchAll(/^ *(\S+) ([a-z]+) "((?:[^"\\]|\\.)*)"/gm)) elements.set(ref, `${role} “${name}”`);
  };
  return hands.map((one) => {
    if (["read_page", "find"].includes(one.name)) one.on("agent.tool.called", note);
    else if (one.input.properties.ref) {
      const { invoke: _invoke, on: _on, ...fields } = one;
      return tool({ ...fields, action: ({ ref }) => (elements.has(ref) ? `${one.action}: ${elements.get(ref)}` : one.action) });
    }
    return one;
  });
}
