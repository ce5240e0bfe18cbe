/** The whole conversation of the demo, at both widths and in both color schemes, against the engine's books. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { accessible } from "./ask/stage.mjs";
import { assertSettledOnce, booksOf, dialogPart, lastWords, openShop, picture, say, startBrowser, turnEnded, variants, withDemo } from "./helpers.mjs";
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

/** The dialog has the shop's colors, fits, can be read and used; axe looks at it, too. */
async function soundDialog(page, where) {
  // Its entrance is over, and a held button no longer dim.
  await page.waitForFunction(() => {
    const root = document.querySelector("pagehand-ask").shadowRoot;
    return !root.querySelector("[part~=submit]").disabled && root.getAnimations().length === 0;
  });
  await soundLook(page, where);
  const [dialog, card] = await page.evaluate(() => [document.querySelector("pagehand-ask").shadowRoot.querySelector("dialog"), document.querySelector(".desk")].map((one) => getComputedStyle(one).backgroundColor));
  assert.equal(dialog, card, `${where}: the dialog has the shop's colors`);
  await accessible(page);
}

const secret = "See you at the harbor, little gull.";

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
  await typeByHand(page, name);
  await pressThePlus(page, name, width);
  await say(page, "SUMMER25");
  assert.match(await lastWords(page), /turned that code down/);
  await say(page, "HARBOR10");
  assert.equal(await lastWords(page), "10 % off. Your total is €57.60.");
  await writeGiftNote(page, name);
  await review(page, name);
  await say(page, "my screen");
  assert.match(await lastWords(page), new RegExp(`^Your window is ${width} by \\d+ pixels, in ${name.split("-")[1]} colors\\. Your browser speaks en-US and keeps the time of \\S+\\.$`));

  await page.locator(".suggestion", { hasText: "Place my order" }).click();
  await page.locator("details[data-name=confirm_order] .chip", { hasText: "Needs your OK" }).waitFor();
  assert.equal(await dialogPart(page, "title").textContent(), "Place your order: 4 tins for €57.60");
  assert.deepEqual(await dialogPart(page, "argument-value").allTextContents(), ["4", "€57.60"]);
  await soundDialog(page, "order");
  await picture(page, `${name}-2-approval`);
  await dialogPart(page, "submit").click();
  await turnEnded(page);
  assert.equal(await lastWords(page), "Thank you! Order SH-1042 is placed. Put the kettle on.");
  await page.locator("details[data-name=post_review] summary").click();
  await soundLook(page, "calls");
  await picture(page, `${name}-3-assistant`);
  await show(page, "basket", width);
  await page.locator("#placed", { hasText: "SH-1042" }).waitFor();
  await soundLook(page, "basket");
  // Taller, so that the bar at the foot of a small screen does not lie across the picture.
  await page.setViewportSize({ width, height: 1290 });
  await picture(page, `${name}-4-basket`);
  await show(page, "shop", width);
  await soundLook(page, "reviewed shop");
}

/** The page's form is read, and filled in by what was read. */
async function typeByHand(page, name) {
  await say(page, "address in by hand");
  assert.match(await lastWords(page), /^Typed in, field by field, with Netherlands chosen/);
  const values = await page.locator("#address").locator("input, select").evaluateAll((fields) => fields.map((field) => field.value));
  assert.deepEqual(values, ["Clara Reis", "Oudegracht 24", "3511 AB", "Utrecht", "NL"]);
  assert.equal(await page.locator("[name=delivery]:checked").inputValue(), "express");
  await picture(page, `${name}-5-typed`);
}

/** A click on the page needs a yes, once. */
async function pressThePlus(page, name, width) {
  await page.locator(".suggestion", { hasText: "Press the plus" }).click();
  await dialogPart(page, "note").filter({ hasText: "A yes also covers further calls of “click”" }).waitFor();
  assert.equal(await dialogPart(page, "title").textContent(), 'Clicking: button "One more Morning Fog"');
  if (width < 860) assert.equal(await page.locator("#assistant").isVisible(), false, "what the hands do is in sight");
  await soundDialog(page, "click");
  const edges = [page.getByLabel("One more Morning Fog", { exact: true }), dialogPart(page, "dialog")].map((one) => one.boundingBox());
  const [button, dialog] = await Promise.all(edges);
  assert.ok(button.y > 56 && button.y + button.height <= dialog.y, `what is asked about can be seen: ${JSON.stringify([button, dialog])}`);
  await picture(page, `${name}-6-click`);
  await dialogPart(page, "submit").click();
  await turnEnded(page);
  assert.equal(await lastWords(page), "Pressed, as you would have done it. That makes 4 tins.");
  assert.equal(await page.locator("#basket-count").textContent(), "4");
  assert.equal(await page.locator("#assistant").isVisible(), true);
  if (width < 860) assert.equal(await page.evaluate(() => document.activeElement.textContent), "Press the plus next to Morning Fog", "the keyboard is back where it was");
}

async function writeGiftNote(page, name) {
  await page.locator(".suggestion", { hasText: "gift note" }).click();
  await page.locator("details[data-name=add_gift_note] .chip", { hasText: "Waiting for you" }).waitFor();
  const field = (label) => page.locator("pagehand-ask").getByLabel(label);
  assert.equal(await field("For").inputValue(), "Ana");
  await dialogPart(page, "submit").click();
  await dialogPart(page, "summary").waitFor();
  await soundDialog(page, "gift note with a mistake");
  await field("Your words").fill(secret);
  await field("Sunrise").check();
  await field("To arrive on").fill("2027-05-09");
  await picture(page, `${name}-7-gift`);
  await dialogPart(page, "submit").click();
  await turnEnded(page);
  assert.match(await lastWords(page), /^Sunrise paper it is, for Ana\./);
  assert.equal(await page.locator("#gift").textContent(), `A gift for AnaWrapped in Sunrise, to arrive on May 9${secret}`);
}

/** What the model drafted is changed, and the list of calls says so. */
async function review(page, name) {
  await page.locator(".suggestion", { hasText: "Review" }).click();
  const field = (label) => page.locator("pagehand-ask").getByLabel(label);
  await field("Stars").fill("4");
  await page.locator("pagehand-ask textarea").fill("Good on a foggy day.");
  await soundDialog(page, "review");
  await picture(page, `${name}-8-review`);
  await dialogPart(page, "submit").click();
  await turnEnded(page);
  assert.equal(await page.locator("[data-sku=morning-fog] .review").textContent(), "★★★★☆Good on a foggy day.");
  const call = page.locator("details[data-name=post_review]");
  const row = (title) => call.locator(`dt:text-is("${title}") + dd`).textContent();
  assert.equal(await row("Consent"), "You allowed it, with changes");
  assert.match(await row("Arguments"), /Smells of bergamot/);
  assert.match(await row("Ran with"), /"stars": 4,[^]*Good on a foggy day\./);
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
          ["read_page", "completed"],
          ["fill", "completed"],
          ["fill", "completed"],
          ["fill", "completed"],
          ["fill", "completed"],
          ["select", "completed"],
          ["check", "completed"],
          ["find", "completed"],
          ["highlight", "completed"],
          ["click", "completed"],
          ["read_cart", "completed"],
          ["apply_coupon", "errored"],
          ["apply_coupon", "completed"],
          ["add_gift_note", "completed"],
          ["post_review", "completed"],
          ["get_screen", "completed"],
          ["get_locale", "completed"],
          ["read_cart", "completed"],
          ["confirm_order", "completed"],
        ],
      );
      assertSettledOnce(calls);
      const shown = page.locator("#calls details");
      assert.equal(await shown.count(), calls.length);
      assert.equal(await page.locator("#calls-summary").textContent(), "26 calls, all settled");
      const chips = await page.locator("#calls summary .chip").allTextContents();
      assert.deepEqual(chips.reverse().map((chip) => chip === "Error confirmed"), calls.map((call) => call.status === "errored"));
      assert.deepEqual(await shown.evaluateAll((all) => [...new Set(all.map((one) => one.dataset.state))]), ["confirmed"]);
      assert.deepEqual(page.trouble, []);
      await page.end();
    });
  });
}

describe("at 1280", () => {
  test("a no is answered in words and changes nothing, and any other text gets a friendly answer", async () => {
    await withDemo({}, async (demo) => {
      const page = await browser.page();
      await openShop(page, demo);
      await say(page, "Place my order", "no");
      assert.equal(await lastWords(page), "No hurry. Nothing was ordered, and your basket stays as it is.");
      assert.equal(await page.locator("#placed").isVisible(), false);
      const call = page.locator("details[data-name=confirm_order]");
      await call.locator(".chip", { hasText: "Declined" }).first().waitFor();
      assert.equal(await call.locator('dt:text-is("Consent") + dd').textContent(), "You declined it");
      await say(page, "Press the plus", "no");
      assert.equal(await lastWords(page), "As you wish: I left that alone.");
      assert.equal(await page.locator("#basket-count").textContent(), "1");
      await say(page, "gift note", "no");
      assert.equal(await lastWords(page), "As you wish: I left that alone.");
      assert.equal(await page.locator("#gift").isVisible(), false);
      assert.equal(await page.locator(".step", { hasText: "you said no" }).count(), 3);
      await page.locator("#composer-text").fill("Tell me a joke");
      await page.locator(".send").click();
      await page.locator(".bubble.assistant", { hasText: "beyond my script" }).waitFor();
      assertSettledOnce(await booksOf(page, demo));
      assert.deepEqual(page.trouble, []);
      await page.end();
    });
  });

  test("who writes instead of answering has not said yes, and is heard next", async () => {
    await withDemo({}, async (demo) => {
      const page = await browser.page();
      await openShop(page, demo);
      await page.locator(".suggestion", { hasText: "Place my order" }).click();
      await dialogPart(page, "dialog").waitFor();
      // The dialog is in the way of a pointer, but not of what speaks or types for a person.
      await page.locator(".suggestion", { hasText: "What is in my basket?" }).evaluate((button) => button.click());
      await page.locator(".bubble.assistant", { hasText: "I count 1" }).waitFor();
      assert.equal(await dialogPart(page, "dialog").count(), 0);
      const calls = await booksOf(page, demo);
      assert.deepEqual(calls.map((call) => [call.name, call.status]), [["read_cart", "completed"], ["confirm_order", "errored"], ["read_cart", "completed"]]);
      assertSettledOnce(calls);
      await page.end();
    });
  });

  test("one yes covers the next click, and an order is not placed for another sum than the one agreed to", async () => {
    await withDemo({}, async (demo) => {
      const page = await browser.page();
      await openShop(page, demo);
      await say(page, "Press the plus", "yes");
      await say(page, "Press the plus");
      assert.equal(await page.locator("#basket-count").textContent(), "3");
      const consents = await page.locator("details[data-name=click]").locator('dt:text-is("Consent") + dd').allTextContents();
      assert.deepEqual(consents, ["Covered by your earlier yes", "You allowed it"]);
      await page.locator(".suggestion", { hasText: "Place my order" }).click();
      await dialogPart(page, "dialog").waitFor();
      await page.evaluate(() => globalThis.demo.shop.setQuantity("night-ferry", 2));
      await dialogPart(page, "submit").click();
      await turnEnded(page);
      assert.match(await lastWords(page), /The basket is 5 tins for €61\.50, not 3 for €42\.40\./);
      assert.equal(await page.locator("#placed").isVisible(), false);
      await page.end();
    });
  });

  test("the words of a gift note never leave the page, and the assistant's own part is out of its reach", async () => {
    const script = {
      rules: [
        { when: { after: "find" }, say: "{{result:find}}" },
        { when: { after: "*" }, say: "{{result}}" },
        { when: { user: "gift note" }, call: [{ name: "add_gift_note" }] },
        { when: { user: "read" }, call: [{ name: "read_page" }] },
        { when: { user: "seek" }, call: [{ name: "find", arguments: { text: "little gull" } }] },
        { when: { user: "leave" }, call: [{ name: "navigate", arguments: { to: "/" } }] },
      ],
    };
    await withDemo({ config: { script } }, async (demo) => {
      const page = await browser.page();
      await openShop(page, demo);
      const tell = async (words) => {
        await page.locator("#composer-text").fill(words);
        await page.keyboard.press("Enter");
        await turnEnded(page);
        return lastWords(page);
      };
      await page.locator(".suggestion", { hasText: "gift note" }).click();
      const field = (label) => page.locator("pagehand-ask").getByLabel(label);
      await field("For").fill("Ben");
      await field("Your words").fill(secret);
      await dialogPart(page, "submit").click();
      await turnEnded(page);
      assert.equal(await page.locator("#gift blockquote").textContent(), secret);
      const outline = await tell("read");
      assert.match(outline, /"A gift for Ben"[^]*text "\(private\)"/);
      assert.match(outline, /textbox "Postal code"/);
      for (const part of [/Message to the assistant/, /Tool calls/, /Welcome in/]) assert.doesNotMatch(outline, part);
      assert.match(await tell("seek"), /nothing on the page matches/);
      assert.match(await tell("leave"), /unknown tool: navigate/);
      const session = await page.evaluate(() => globalThis.demo.runtime.sessionId);
      assert.ok(!JSON.stringify(demo.engine.messages(session)).includes("See you at the harbor"), "not even in the engine's books");
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
