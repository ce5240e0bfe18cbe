/**
 * The demo over both wires: one conversation, held over the engine's own API and over AG-UI with the same page, script
 * and visitor. What the page then shows must be the same, line by line; the engine's books must be good over both.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { assertSettledOnce, booksOf, dialogPart, listen, openShop, picture, say, startBrowser, turnEnded, variants, withDemo } from "./helpers.mjs";
import { lowContrast, overflowing, unnamed } from "./inspect.mjs";

/** The shop's own script, and a model that makes mistakes. */
const shopScript = JSON.parse(await readFile(new URL("../../www/script.json", import.meta.url), "utf8"));
const mistakes = [
  { when: { user: "sommelier" }, say: "One moment.", call: [{ name: "fetch_sommelier", arguments: { tea: "sencha" } }] },
  { when: { user: "half a sentence" }, call: [{ name: "add_to_cart", arguments: '{"sku":"green-cove",' }] },
  { when: { user: "twice at once" }, call: [1, 2].map((quantity) => ({ name: "add_to_cart", arguments: { sku: "green-cove", quantity } })) },
  { when: { user: "some of it fails" }, call: [{ name: "apply_coupon", arguments: { code: "NONE" } }, { name: "read_cart" }] },
];
/** A model over AG-UI has only the text of an answer to tell a failure by, so no rule asks for one by its flag. */
const answers = [
  { when: { user: "sommelier", after: "*" }, say: "Nobody came: {{result}}" },
  { when: { user: "half a sentence", after: "*" }, say: "I stumbled: {{result}}" },
  { when: { user: "some of it fails", after: "*" }, say: "No coupon, and {{result:read_cart/count}} in the basket." },
];
const script = { ...shopScript, rules: [...answers, ...shopScript.rules, ...mistakes] };

const type = async (page, words) => {
  await page.locator("#composer-text").fill(words);
  await page.locator(".send").click();
  await turnEnded(page);
};

async function writeNote(page, words) {
  await page.locator(".suggestion", { hasText: words }).click();
  const field = (label) => page.locator("pagehand-ask").getByLabel(label);
  await field("For").fill("Ben");
  await field("Your words").fill("See you at the harbor.");
  await dialogPart(page, "submit").click();
  await turnEnded(page);
}

async function editReview(page, words) {
  await page.locator(".suggestion", { hasText: words }).click();
  await page.locator("pagehand-ask textarea").fill("Good on a foggy day.");
  await dialogPart(page, "submit").click();
  await turnEnded(page);
}

/** What is said, what it is about, and how, if a click and an answer are not enough. */
const steps = [
  ["What is in my basket?", "the cart is read"],
  ["Add two tins", "an item goes in"],
  ["how fast can you deliver", "two calls of one reply"],
  ["Ana in Lisbon", "a form is filled in"],
  ["Bruno in Porto", "arguments that the model must repair"],
  ["address in by hand", "the page's hands read, type, choose and check, six calls at once"],
  ["Press the plus", "a click that gets a no", "no"],
  ["Press the plus", "a click that gets a yes", "yes"],
  ["Press the plus", "a click that the yes before covers"],
  ["SUMMER25", "a tool that fails"],
  ["HARBOR10", "the same tool again"],
  ["gift note", "a form that the visitor leaves empty", "no"],
  ["gift note", "a form that the visitor fills in", writeNote],
  ["Review Morning Fog", "arguments that the visitor changes", editReview],
  ["my screen", "the browser's own tools"],
  ["Place my order", "an order that gets a no", "no"],
  ["Place my order", "an order that gets a yes", "yes"],
  ["fetch the sommelier", "a tool that nobody has", type],
  ["say half a sentence", "arguments that are no JSON", type],
  ["both, twice at once", "two calls of one tool", type],
  ["try it, some of it fails", "one failure among two calls", type],
  ["Tell me a joke", "words without a tool", type],
];

/** The lines the page shows: the conversation as it stands, and every call from the first with all its rows. */
function transcript() {
  const lines = [...document.querySelectorAll("#log > *")].map((one) => `${one.className}${one.dataset.tone ? ` (${one.dataset.tone})` : ""}: ${one.textContent}`);
  const calls = [...document.querySelectorAll("#calls details")].reverse();
  const facts = calls.flatMap((call, index) => {
    const title = `call ${index + 1}, ${call.dataset.name}`;
    // How long it took and by which steps is the wire's own matter.
    const rows = [...call.querySelectorAll("dt")].filter((dt) => dt.textContent !== "States");
    return [`${title}: ${call.querySelector(".chip").textContent} (${call.dataset.state})`, ...rows.map((dt) => `${title}, ${dt.textContent}: ${dt.nextElementSibling.textContent}`)];
  });
  return [...lines, document.querySelector("#calls-summary").textContent, ...facts];
}

/** What two pages can only have different: port, time, and the letters by which a page's refs are its own. */
const chance = /127\.0\.0\.1:\d+|\d{4}-\d\d-\d\dT[\d:]+|\d+\/\d+\/\d+, \d+:\d+|\b[a-z]{3}(?=\d+\b)/g;

/** A line without that, and without the order of an object's fields, which the engine's own API sorts. */
function plain(line) {
  const text = line.replaceAll(chance, "…");
  const [, title, value] = /^(call .*?: )([[{][^]*)$/.exec(text) ?? [];
  return title ? title + ordered(value) : text;
}

/** JSON with the fields of its objects in the alphabet's order; other text as it is. */
function ordered(text) {
  try {
    return JSON.stringify(JSON.parse(text, (_key, value) => (Object.getPrototypeOf(Object(value)) === Object.prototype ? Object.fromEntries(Object.entries(value).sort()) : value)));
  } catch {
    return text;
  }
}

/** Holds the whole conversation over a wire: what was shown after each step, and how it all ended. */
async function converse(browser, transport) {
  return withDemo({ config: { script } }, async (demo) => {
    const page = await browser.page();
    const asked = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await openShop(page, { url: `${demo.url}?transport=${transport}` });
    await listen(page, ["warning"]);
    const shown = [];
    for (const [words, , how] of steps) {
      await (typeof how === "function" ? how(page, words) : say(page, words, how));
      await page.locator("#calls-summary", { hasText: "all settled" }).waitFor();
      shown.push((await page.evaluate(transcript)).map(plain));
    }
    const shop = await page.locator("#storefront").innerText();
    const warnings = await page.evaluate(() => globalThis.heard.map(({ code, message }) => `${code}: ${message}`));
    const result = { shown, shop, asked, warnings, calls: await booksOf(page, demo), trouble: page.trouble };
    await page.end();
    return result;
  });
}

/** The lines that came since: those that were there before are told of by the step that wrote them. */
function without(lines, before) {
  const left = [...before];
  return lines.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** The first line that differs, in words; nothing where none does. */
function difference(native, agUi) {
  const at = native.findIndex((line, index) => line !== agUi[index]);
  const line = at < 0 && agUi.length > native.length ? native.length : at;
  return line < 0 ? null : `line ${line + 1} is, natively, ${JSON.stringify(native[line])}, but over AG-UI ${JSON.stringify(agUi[line])}`;
}

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.close());

describe("over AG-UI the page shows what it shows over the engine's own API", () => {
  let native;
  let agUi;
  before(async () => {
    native = await converse(browser, "native");
    agUi = await converse(browser, "ag-ui");
  });

  for (const [index, [words, about]] of steps.entries()) {
    test(`${about}: “${words}”`, () => {
      const fresh = ({ shown }) => without(shown[index], shown[index - 1] ?? []);
      assert.ok(fresh(native).length > 1, "it does something");
      assert.equal(difference(fresh(native), fresh(agUi)), null);
    });
  }

  test("all lines, in their order, and the shop at the end", () => {
    assert.equal(difference(native.shown.at(-1), agUi.shown.at(-1)), null);
    assert.equal(agUi.shop, native.shop);
  });

  test("the engine's books have the same calls, each settled once, with the same words for the model", () => {
    // Of a value with a note beside it the engine shows the model the value; over AG-UI it reads both.
    const value = (text) => ordered(text.startsWith("{") ? JSON.stringify(JSON.parse(text).structuredContent ?? JSON.parse(text)) : text);
    const known = ({ calls }) => calls.map((call) => [call.name, plain(call.arguments), plain(value(call.rendered))]);
    assert.deepEqual(known(agUi), known(native));
    assertSettledOnce(native.calls);
    for (const call of agUi.calls) assert.equal(call.settlements.filter((one) => one.accepted).length, 1, `${call.name} (${call.id})`);
  });

  test("each page loads the file of its own wire and uses no other's addresses", () => {
    const used = ({ asked }, ...parts) => parts.map((part) => asked.some((path) => path.includes(part)));
    const parts = ["/runtime_bg.wasm", "/api/client/", "/ag_ui_bg.wasm", "/ag-ui.js", "/api/channels/ag-ui/"];
    assert.deepEqual(used(native, ...parts), [true, true, false, false, false]);
    assert.deepEqual(used(agUi, ...parts), [false, false, true, true, true]);
  });

  test("nothing goes wrong in either page, and neither warns of what the other does not", () => {
    assert.deepEqual([native.trouble, agUi.trouble], [[], []]);
    assert.deepEqual(agUi.warnings, native.warnings);
  });
});

for (const { name, width, ...look } of variants) {
  test(`the switch says which wire is in use, leads to the other and back, and looks right at ${name}`, () =>
    withDemo({}, async (demo) => {
      const page = await browser.page({ width, ...look });
      await openShop(page, demo);
      const inUse = () => page.locator(".wire [aria-current=true]").allTextContents();
      const wire = page.getByRole("navigation", { name: "Wire to the engine" });
      for (const [leads, file] of [["AG-UI", "ag_ui_bg.wasm"], ["Native", "runtime_bg.wasm"], ["AG-UI", "ag_ui_bg.wasm"]]) {
        if (width < 860) await page.locator(".tabs [data-view=assistant]").click();
        assert.notDeepEqual(await inUse(), [leads]);
        const loaded = page.waitForResponse((response) => response.url().endsWith(file));
        await wire.getByRole("link", { name: leads }).press("Enter");
        await loaded;
        await page.waitForFunction(() => document.body.dataset.ready);
        assert.equal(await page.evaluate(() => document.body.dataset.ready), "true", await page.locator(".log").textContent());
        assert.deepEqual(await inUse(), [leads]);
      }
      if (width < 860) await page.locator(".tabs [data-view=assistant]").click();
      await say(page, "how fast can you deliver");
      for (const sound of [overflowing, lowContrast, unnamed]) assert.deepEqual(await page.evaluate(sound), []);
      await picture(page, `${name}-a-ag-ui`);
      assert.deepEqual(page.trouble, []);
      await page.end();
    }));
}
