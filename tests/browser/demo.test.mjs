/** The whole conversation of the demo, at both widths and in both color schemes, against the engine's books. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { assertSettledOnce, booksOf, lastWords, openShop, picture, say, startBrowser, turnEnded, variants, withDemo } from "./helpers.mjs";
import { lowContrast, overflowing, unnamed } from "./inspect.mjs";

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.close());

/** On a small screen one part of the page is shown at a time. */
const show = (page, view, width) => (width < 860 ? page.locator(`.tabs [data-view=${view}]`).click() : undefined);

async function soundLook(page, where) {
  assert.deepEqual(await page.evaluate(overflowing), [], `${where}: nothing may stick out sideways`);
  assert.deepEqual(await page.evaluate(lowContrast), [], `${where}: text must be readable`);
  assert.deepEqual(await page.evaluate(unnamed), [], `${where}: every control needs a name`);
}

async function converse(page, demo, { name, width }) {
  await openShop(page, demo);
  await soundLook(page, "shop");
  await picture(page, `${name}-1-shop`);
  await show(page, "assistant", width);
  await soundLook(page, "assistant");

  await say(page, "What is in my basket?");
  assert.equal(await lastWords(page), "I count 1 in your basket, €17.40 with delivery.");
  await say(page, "Add two tins");
  assert.equal(await lastWords(page), "In they go. That makes 3 tins and €45.40 in all.");
  assert.equal(await page.locator("#basket-count").textContent(), "3");
  await say(page, "how fast can you deliver");
  assert.equal(await lastWords(page), "You are in Lisbon. By cargo bike and rail it takes 3 days (€4.90); the courier needs 1 day (€9.90).");
  await say(page, "Ana in Lisbon");
  assert.equal(await page.locator("#recipient").inputValue(), "Ana Duarte");
  assert.equal(await page.locator("#country").inputValue(), "PT");
  await say(page, "Bruno in Porto");
  assert.equal(await page.locator("#postal_code").inputValue(), "4050-262");
  await say(page, "SUMMER25");
  assert.match(await lastWords(page), /turned that code down/);
  await say(page, "HARBOR10");
  assert.equal(await lastWords(page), "10 % off. Your total is €41.35.");

  await page.locator(".suggestion", { hasText: "Place my order" }).click();
  await page.locator(".question:not([data-answer])").waitFor();
  await page.locator("details[data-name=confirm_order] .chip", { hasText: "Waiting for you" }).waitFor();
  await page.locator("#calls details").nth(1).locator("summary").click();
  await soundLook(page, "question");
  await picture(page, `${name}-2-question`);
  await page.locator("[data-answer=yes]").last().click();
  await turnEnded(page);
  assert.equal(await lastWords(page), "Thank you! Order SH-1042 is placed. Put the kettle on.");
  await picture(page, `${name}-3-assistant`);
  await show(page, "basket", width);
  await page.locator("#placed", { hasText: "SH-1042" }).waitFor();
  await soundLook(page, "basket");
  // Taller, so that the bar at the foot of a small screen does not lie across the picture.
  await page.setViewportSize({ width, height: 1290 });
  await picture(page, `${name}-4-basket`);
}

for (const variant of variants) {
  test(`the whole conversation works and looks right at ${variant.name}`, async () => {
    await withDemo({}, async (demo) => {
      const page = await browser.page(variant);
      await converse(page, demo, variant);
      const calls = await booksOf(page, demo);
      assert.deepEqual(
        calls.map((call) => [call.name, call.status]),
        [
          ["read_cart", "completed"],
          ["add_to_cart", "completed"],
          ["get_location", "completed"],
          ["get_delivery_options", "completed"],
          ["fill_address", "completed"],
          ["fill_address", "errored"],
          ["fill_address", "completed"],
          ["apply_coupon", "errored"],
          ["apply_coupon", "completed"],
          ["confirm_order", "completed"],
        ],
      );
      assertSettledOnce(calls);
      const shown = page.locator("#calls details");
      assert.equal(await shown.count(), calls.length);
      assert.equal(await page.locator("#calls-summary").textContent(), "10 calls, all settled");
      const chips = await page.locator("#calls summary .chip").allTextContents();
      assert.deepEqual(chips.reverse().map((chip) => chip === "Error confirmed"), calls.map((call) => call.status === "errored"));
      assert.deepEqual(await shown.evaluateAll((all) => [...new Set(all.map((one) => one.dataset.state))]), ["confirmed"]);
      assert.deepEqual(page.trouble, []);
      await page.end();
    });
  });
}

describe("at 1280", () => {
  test("a no leaves the order open, and any other text gets a friendly answer", async () => {
    await withDemo({}, async (demo) => {
      const page = await browser.page();
      await openShop(page, demo);
      await say(page, "Place my order", "no");
      assert.equal(await lastWords(page), "No hurry. Nothing was ordered, and your basket stays as it is.");
      assert.equal(await page.locator("#placed").isVisible(), false);
      await page.locator("#composer-text").fill("Tell me a joke");
      await page.locator(".send").click();
      await page.locator(".bubble.assistant", { hasText: "beyond my script" }).waitFor();
      assertSettledOnce(await booksOf(page, demo));
      await page.end();
    });
  });

  test("who writes instead of answering has not said yes, and is heard next", async () => {
    await withDemo({}, async (demo) => {
      const page = await browser.page();
      await openShop(page, demo);
      await page.locator(".suggestion", { hasText: "Place my order" }).click();
      await page.locator(".question").waitFor();
      await page.locator(".suggestion", { hasText: "What is in my basket?" }).click();
      await page.locator(".bubble.assistant", { hasText: "I count 1" }).waitFor();
      assert.equal(await page.locator(".question").getAttribute("data-answer"), "no");
      assert.deepEqual((await booksOf(page, demo)).map((call) => call.name), ["confirm_order", "read_cart"]);
      assertSettledOnce(await booksOf(page, demo));
      await page.end();
    });
  });

  test("what a model writes is text, whatever it looks like", async () => {
    const markup = "<img src=x onerror=\"document.title='broken into'\"><b>bold</b>";
    const script = { rules: [{ when: { user: "markup", after: "fill_address" }, say: markup }, { when: { user: "markup" }, say: markup, call: [{ name: "fill_address", arguments: JSON.stringify({ recipient: markup }) }] }] };
    await withDemo({ config: { script } }, async (demo) => {
      const page = await browser.page();
      await openShop(page, demo);
      await page.locator("#composer-text").fill("markup");
      await page.keyboard.press("Enter");
      await turnEnded(page);
      assert.equal(await lastWords(page), markup);
      assert.equal(await page.locator(".log img, .log b, .calls img").count(), 0);
      assert.equal(await page.title(), "Sunday Harbor · loose-leaf tea");
      assert.deepEqual(page.trouble, []);
      await page.end();
    });
  });
});
