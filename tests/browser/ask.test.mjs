/** Questions in the built-in dialog: every kind of field and its answer, the keyboard, what is wrong, hostile pages. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { accessible, asks, focused, part, result, send, startStage } from "./ask/stage.mjs";
import { picture } from "./helpers.mjs";

let stage;
before(async () => (stage = await startStage()));
after(() => stage?.close());

/** Runs `work` in a page that must not have gone wrong. */
async function inPage(work, options) {
  const page = await stage.open(options);
  await work(page);
  assert.deepEqual(page.trouble, []);
  await page.end();
}

const order = {
  title: "Your order",
  message: "Two things are missing.",
  schema: {
    $defs: { item: { type: "object", title: "Item", properties: { name: { type: "string" }, count: { type: "integer", minimum: 1 } }, required: ["name", "count"] } },
    type: "object",
    properties: {
      name: { type: "string", minLength: 2, description: "As on the card" },
      mail: { type: "string", format: "email", title: "E-mail" },
      note: { type: "string", maxLength: 500 },
      size: { enum: ["S", "M", "L"] },
      gift: { type: "boolean", title: "It is a gift" },
      extras: { type: "array", items: { enum: ["wrap", "card"] } },
      items: { type: "array", items: { $ref: "#/$defs/item" }, minItems: 1, maxItems: 2 },
      address: { type: "object", properties: { street: { type: "string" }, zip: { type: "string", pattern: "^[0-9]{5}$" } }, required: ["street"] },
      pay: {
        title: "Payment",
        oneOf: [
          { title: "Card", type: "object", properties: { by: { const: "card" }, number: { type: "string" } }, required: ["by", "number"] },
          { title: "Invoice", type: "object", properties: { by: { const: "invoice" }, days: { type: "integer", maximum: 30 } }, required: ["by", "days"] },
        ],
      },
      anything: {},
    },
    required: ["name", "size", "items", "pay"],
    additionalProperties: false,
  },
};

const label = (page, text) => page.locator("pagehand-ask").getByLabel(text, { exact: false }).first();

test("a form of everything gives exactly what was filled in, and leaves out what was not", () =>
  inPage(async (page) => {
    await asks(page, order);
    await label(page, "Name").first().fill("Ada");
    await page.locator("pagehand-ask").getByRole("radio", { name: "M" }).check();
    await page.locator("pagehand-ask").getByRole("textbox", { name: "Name" }).nth(1).fill("Fog");
    await label(page, "Count").fill("2");
    await page.locator("pagehand-ask").getByRole("radio", { name: "Invoice" }).check();
    await label(page, "Days").fill("14");
    await send(page);
    assert.deepEqual(await result(page), { value: { name: "Ada", size: "M", items: [{ name: "Fog", count: 2 }], pay: { by: "invoice", days: 14 } } });
    assert.equal(await page.locator("pagehand-ask").count(), 0, "nothing is left in the page");
  }));

/** One field each: the schema, what is done in the page, and the answer. */
const kinds = [
  ["text", { type: "string" }, (page) => label(page, "Value").fill("a “b”"), "a “b”"],
  ["several lines", { type: "string", "x-multiline": true }, (page) => label(page, "Value").fill("a\nb"), "a\nb"],
  ["password", { type: "string", format: "password" }, async (page) => (assert.equal(await label(page, "Value").getAttribute("type"), "password"), label(page, "Value").fill("x")), "x"],
  ["email", { type: "string", format: "email" }, (page) => label(page, "Value").fill("a@b.c"), "a@b.c"],
  ["uri", { type: "string", format: "uri" }, (page) => label(page, "Value").fill("https://a.b/"), "https://a.b/"],
  ["date", { $schema: "http://json-schema.org/draft-07/schema#", type: "string", format: "date" }, (page) => label(page, "Value").fill("2026-02-03"), "2026-02-03"],
  ["time", { $schema: "http://json-schema.org/draft-07/schema#", type: "string", format: "time" }, (page) => label(page, "Value").fill("10:20:30"), "10:20:30+09:00"],
  ["moment", { $schema: "http://json-schema.org/draft-07/schema#", type: "string", format: "date-time" }, (page) => label(page, "Value").fill("2026-02-03T10:20:30"), "2026-02-03T10:20:30+09:00"],
  ["number", { type: "number" }, (page) => label(page, "Value").fill("1.50"), 1.5],
  ["integer", { type: "integer", minimum: -5 }, (page) => label(page, "Value").fill("-3"), -3],
  ["boolean, untouched", { type: "boolean" }, () => undefined, false],
  ["boolean", { type: "boolean" }, (page) => label(page, "Value").check(), true],
  ["agreement", { const: true }, (page) => label(page, "Value").check(), true],
  ["one of few", { enum: [1, "two", null, { three: 3 }] }, (page) => page.locator("pagehand-ask").getByRole("radio", { name: "three" }).check(), { three: 3 }],
  ["one of many", { enum: ["a", "b", "c", "d", "e", "f"], enumNames: ["A", "Be", "C", "D", "E", "F"] }, (page) => label(page, "Value").selectOption("Be"), "b"],
  ["titled constants", { oneOf: [{ const: "x", title: "Ex" }, { const: "y", title: "Why" }] }, (page) => page.locator("pagehand-ask").getByRole("radio", { name: "Why" }).check(), "y"],
  ["some of few", { type: "array", items: { enum: ["a", "b", "c"] } }, async (page) => (await page.locator("pagehand-ask").getByRole("checkbox", { name: "c" }).check(), await page.locator("pagehand-ask").getByRole("checkbox", { name: "a" }).check()), ["a", "c"]],
  ["list", { type: "array", items: { type: "number" } }, async (page) => (await part(page, "add").click(), await page.keyboard.type("7")), [7]],
  ["null or text", { type: ["string", "null"] }, () => undefined, null],
  ["null or object", { anyOf: [{ type: "object", properties: { a: { type: "string" } } }, { type: "null" }] }, (page) => label(page, "A").fill("x"), { a: "x" }],
  ["text or number", { type: ["string", "number"] }, async (page) => (await page.locator("pagehand-ask").getByRole("radio", { name: "Number" }).check(), await page.locator("pagehand-ask").getByRole("spinbutton").fill("4")), 4],
  ["map", { type: "object", additionalProperties: { type: "number" } }, (page) => label(page, "Value").fill('{"a": 1}'), { a: 1 }],
  ["constant", { const: "fixed" }, () => undefined, "fixed"],
];
for (const [name, schema, act, answer] of kinds) {
  test(`a required field: ${name}`, () =>
    inPage(
      async (page) => {
        const { $schema, ...rest } = schema;
        await asks(page, { title: "T", schema: { ...($schema && { $schema }), type: "object", properties: { value: rest }, required: ["value"] } });
        await act(page);
        await send(page);
        assert.deepEqual(await result(page), { value: { value: answer } });
      },
      { timezoneId: "Asia/Tokyo" },
    ));
}

test("optional fields that nobody touched are absent, whatever their kind", () =>
  inPage(async (page) => {
    const properties = Object.fromEntries(kinds.filter(([name]) => name !== "constant").map(([, { $schema, ...schema }], index) => [`f${index}`, schema]));
    await asks(page, { title: "T", schema: { type: "object", properties } });
    await send(page);
    assert.deepEqual(await result(page), { value: {} });
  }));

test("what is given to begin with comes back to the letter where it is not touched", () =>
  inPage(async (page) => {
    const initial = { when: "2026-02-03T10:20:30.123Z", mail: " not mail ", text: "a\nb", extra: { deep: [1] }, list: ["b", "a"], big: "12345678901234567890" };
    const properties = { when: { type: "string", format: "date-time" }, mail: { type: "string", format: "email" }, text: { type: "string" }, list: { type: "array", items: { enum: ["a", "b"] } }, big: { type: "string" } };
    await asks(page, { title: "T", schema: { type: "object", properties }, initial });
    assert.match(await label(page, "Other values").inputValue(), /"deep"/);
    await send(page);
    assert.deepEqual(await result(page), { value: initial });
  }));

test("what is wrong is said beside the fields and in a summary that leads there", () =>
  inPage(async (page) => {
    await asks(page, order);
    await label(page, "Name").fill("A");
    await label(page, "E-mail").fill("nope");
    await label(page, "Zip").fill("12");
    await label(page, "Anything").fill("{");
    await send(page);
    const summary = part(page, "summary");
    await summary.waitFor();
    assert.equal(await page.evaluate(() => document.querySelector("pagehand-ask").shadowRoot.activeElement.getAttribute("part")), "summary");
    const local = await part(page, "link").allTextContents();
    assert.deepEqual(local, ["E-mail: Must be an e-mail address.", "Size: Please fill this in.", "Name: Please fill this in.", "Count: Please fill this in.", "Street: Please fill this in.", "Number: Please fill this in.", "Anything: Is not valid JSON."]);
    const mail = label(page, "E-mail");
    assert.equal(await mail.getAttribute("aria-invalid"), "true");
    assert.equal(await page.evaluate((id) => document.querySelector("pagehand-ask").shadowRoot.getElementById(id).textContent, await mail.getAttribute("aria-errormessage")), "Must be an e-mail address.");
    assert.ok((await mail.getAttribute("aria-describedby")).split(" ").includes(await mail.getAttribute("aria-errormessage")));
    await part(page, "link").nth(3).click();
    assert.equal(await focused(page), "Count");
    await accessible(page);
    await picture(page, "ask-summary");

    await mail.fill("");
    // What was changed is not called wrong any more, before it is looked at again.
    assert.equal(await mail.getAttribute("aria-invalid"), null);
    assert.equal(await part(page, "link").count(), 6);
    assert.match(await summary.textContent(), /\b6\b/);
    await label(page, "Anything").fill("");
    await page.locator("pagehand-ask").getByRole("radio", { name: "M" }).check();
    await page.locator("pagehand-ask").getByRole("textbox", { name: "Name" }).nth(1).fill("Fog");
    await label(page, "Count").fill("0");
    await page.locator("pagehand-ask").getByRole("radio", { name: "Invoice" }).check();
    await label(page, "Days").fill("31");
    await label(page, "Street").fill("Main");
    await send(page);
    await page.waitForFunction(() => document.querySelector("pagehand-ask").shadowRoot.querySelectorAll("[part=link]").length === 4);
    assert.deepEqual((await part(page, "link").allTextContents()).sort(), ["Count: Must be at least 1.", "Days: Must be at most 30.", "Name: Must have at least 2 characters.", "Zip: Does not have the form that is asked for."]);
    assert.equal(await mail.getAttribute("aria-invalid"), null);
    assert.equal(await page.evaluate(() => globalThis.results[0]), undefined, "the question stays open");
  }));

test("Enter sends, Escape declines, and the focus goes back to where it was", () =>
  inPage(async (page) => {
    const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
    await page.locator("#composer").focus();
    await asks(page, { title: "First", schema });
    assert.equal(await focused(page), "Name");
    await page.keyboard.type("Ada");
    await page.keyboard.press("Enter");
    assert.deepEqual(await result(page), { value: { name: "Ada" } });
    assert.equal(await page.evaluate(() => document.activeElement.id), "composer");
    await asks(page, { title: "Second", schema });
    await page.keyboard.press("Escape");
    assert.deepEqual(await result(page, 1), { error: "declined", message: "the user declined" });
    assert.equal(await page.evaluate(() => document.activeElement.id), "composer");
  }));

test("Tab goes round within the dialog in both directions, and keys do not reach the page", () =>
  inPage(async (page) => {
    await page.evaluate(() => {
      globalThis.heardKeys = 0;
      document.addEventListener("keydown", () => (globalThis.heardKeys += 1));
    });
    await asks(page, { title: "Round", schema: { type: "object", properties: { a: { type: "string" }, b: { enum: ["x", "y"] } }, required: ["a", "b"] } });
    const seen = [];
    for (let press = 0; press < 9; press += 1) {
      seen.push(await focused(page));
      await page.keyboard.press("Tab");
    }
    assert.deepEqual(seen, ["A", "x", "Cancel", "Send", "A", "x", "Cancel", "Send", "A"]);
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Shift+Tab");
    assert.equal(await focused(page), "Send");
    assert.equal(await page.evaluate(() => globalThis.heardKeys), 0);
  }));

test("questions stand in a line, and one that is taken back is never shown", () =>
  inPage(async (page) => {
    await page.evaluate(() => {
      globalThis.takeBack = new AbortController();
      globalThis.ends = Promise.all([settle(confirm("One?")), settle(confirm({ title: "Two?", signal: takeBack.signal })), settle(confirm({ title: "Three?", message: "Really." }))]);
    });
    assert.deepEqual(await part(page, "title").allTextContents(), ["One?"]);
    await page.evaluate(() => globalThis.takeBack.abort());
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector("pagehand-ask")?.shadowRoot.querySelector("h2").textContent === "Three?");
    await accessible(page);
    await part(page, "cancel").click();
    assert.deepEqual(await page.evaluate(() => globalThis.ends), [{ value: true }, { error: "cancelled", message: "the question was withdrawn" }, { value: false }]);
  }));

test("a question that is taken back while it is shown goes away", () =>
  inPage(async (page) => {
    await page.evaluate(() => {
      globalThis.takeBack = new AbortController();
      globalThis.end = settle(confirm({ title: "One?", signal: takeBack.signal }));
    });
    await part(page, "dialog").waitFor();
    await page.evaluate(() => globalThis.takeBack.abort());
    assert.equal(await page.locator("pagehand-ask").count(), 0);
    assert.equal((await page.evaluate(() => globalThis.end)).error, "cancelled");
  }));

test("a page that throws the dialog out declines its question, and the next is shown", () =>
  inPage(async (page) => {
    await page.evaluate(() => {
      globalThis.ends = Promise.all([settle(confirm("One?")), settle(confirm("Two?"))]);
    });
    await part(page, "dialog").waitFor();
    await page.evaluate(() => document.querySelector("pagehand-ask").remove());
    await page.waitForFunction(() => document.querySelector("pagehand-ask")?.shadowRoot.querySelector("h2").textContent === "Two?");
    await page.keyboard.press("Enter");
    assert.deepEqual(await page.evaluate(() => globalThis.ends), [{ value: false }, { value: true }]);
  }));

for (const [how, work] of [
  ["takes the dialog out of its host", () => document.querySelector("pagehand-ask").shadowRoot.querySelector("dialog").remove()],
  ["empties the host", () => document.querySelector("pagehand-ask").shadowRoot.replaceChildren()],
  ["replaces the root of the document", () => document.documentElement.replaceWith(document.createElement("html"))],
]) {
  test(`a page that ${how} declines the question`, () =>
    inPage(async (page) => {
      await asks(page, { title: "Gone", schema: { type: "object", properties: { a: { type: "string" } } } });
      await page.evaluate(work);
      assert.equal((await result(page)).error, "declined");
    }));
}

test("a schema whose references branch without end is drawn or written as JSON, at once", () =>
  inPage(async (page) => {
    const $defs = Object.fromEntries(Array.from({ length: 22 }, (_, at) => [`d${at}`, { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] }]));
    await asks(page, { title: "Wide", schema: { type: "object", properties: { a: { $ref: "#/$defs/d0" }, b: { type: "string" } }, $defs: { ...$defs, d22: { type: "string" } } } });
    await page.keyboard.press("Escape");
    assert.equal((await result(page)).error, "declined");
  }));

test("a question that cannot be drawn is declined, and the next is shown", () =>
  inPage(async (page) => {
    await page.evaluate(() => {
      const initial = Object.defineProperty({}, "a", { enumerable: true, get: () => { throw new Error("no"); } });
      globalThis.asked({ title: "Broken", schema: { type: "object", properties: { a: { type: "string" } } }, initial });
      globalThis.end = settle(confirm("Next?"));
    });
    assert.deepEqual(await result(page), { error: "declined", message: "the user declined: the question could not be shown" });
    await part(page, "submit").click();
    assert.deepEqual(await page.evaluate(() => globalThis.end), { value: true });
    assert.match(page.trouble.join(), /could not be shown/);
    page.trouble.length = 0;
  }));

/** Forms of one value, which is no object. */
for (const [name, schema, act, answer] of [
  ["text", { type: "string", title: "Nickname" }, (page) => label(page, "Nickname").fill("Ada"), "Ada"],
  ["a choice", { enum: ["a", "b"] }, (page) => page.locator("pagehand-ask").getByRole("radio", { name: "b" }).check(), "b"],
  ["a list", { type: "array", items: { type: "integer" }, minItems: 1 }, (page) => page.keyboard.type("3"), [3]],
  ["a way to go", { anyOf: [{ type: "object", title: "One", properties: { a: { type: "string" } }, required: ["a"] }, { type: "object", title: "Two", properties: { b: { type: "string" } }, required: ["b"] }] }, async (page) => (await page.locator("pagehand-ask").getByRole("radio", { name: "Two" }).check(), await label(page, "B").fill("x")), { b: "x" }],
]) {
  test(`a whole form may be ${name}`, () =>
    inPage(async (page) => {
      await asks(page, { title: "T", schema });
      await accessible(page);
      await send(page);
      await part(page, "link").first().waitFor();
      await part(page, "link").first().click();
      await act(page);
      await send(page);
      assert.deepEqual(await result(page), { value: answer });
    }));
}

test("the schemas of public tools have forms that open and close", () =>
  inPage(async (page) => {
    const lines = (await readFile(new URL("../fixtures/tool-schemas.jsonl", import.meta.url), "utf8")).trim().split("\n");
    for (const [index, text] of lines.entries()) {
      const { name, inputSchema } = JSON.parse(text);
      await asks(page, { title: name, schema: inputSchema });
      await page.keyboard.press("Escape");
      assert.equal((await result(page, index)).error, "declined", name);
    }
  }));

test("a click is one of the person's, as the browser counts", () =>
  inPage(async (page) => {
    await page.evaluate(() => void (globalThis.end = settle(click({ title: "Share the place" }, async () => [navigator.userActivation.isActive]))));
    await part(page, "submit").click();
    assert.deepEqual(await page.evaluate(() => globalThis.end), { value: [true] });
    await page.evaluate(() => void (globalThis.end = settle(click({ title: "Fails" }, () => Promise.reject(new TypeError("no"))))));
    await part(page, "submit").click();
    assert.deepEqual(await page.evaluate(() => globalThis.end), { error: "TypeError", message: "no" });
  }));

const hostile = `
* { all: unset !important; display: none !important; color: red !important; font-size: 40px !important; visibility: hidden !important; }
pagehand-ask, dialog { display: none !important; opacity: 0 !important; pointer-events: none !important; position: static !important; }
html, body { display: block !important; visibility: visible !important; direction: rtl; }
`;

test("a hostile page cannot hide, colour or shift the dialog", () =>
  inPage(
    async (page) => {
      await asks(page, { title: "Still here", schema: { type: "object", properties: { name: { type: "string" } } } });
      const looks = await part(page, "title").evaluate((title) => {
        const { color, fontSize, visibility } = getComputedStyle(title);
        return { color, fontSize, visibility, visible: title.checkVisibility({ opacityProperty: true, visibilityProperty: true }) };
      });
      assert.deepEqual(looks, { color: "rgb(27, 27, 31)", fontSize: "19.2px", visibility: "visible", visible: true });
      await label(page, "Name").fill("x");
      await send(page);
      assert.deepEqual(await result(page), { value: { name: "x" } });
    },
    { css: hostile },
  ));

test("the page's own elements are untouched by the dialog, and its properties and parts change the look", () =>
  inPage(
    async (page) => {
      const before = await page.locator("#opener").evaluate((button) => JSON.stringify({ ...getComputedStyle(button) }));
      await asks(page, { title: "T", schema: { type: "object", properties: { name: { type: "string" } } } });
      assert.equal(await page.locator("#opener").evaluate((button) => JSON.stringify({ ...getComputedStyle(button) })), before);
      assert.equal(await part(page, "submit").evaluate((button) => getComputedStyle(button).backgroundColor), "rgb(0, 100, 0)");
      assert.equal(await part(page, "title").evaluate((title) => getComputedStyle(title).textTransform), "uppercase");
    },
    { css: "pagehand-ask { --pagehand-accent: rgb(0, 100, 0); } pagehand-ask::part(title) { text-transform: uppercase; }" },
  ));

for (const [name, options, css] of [
  ["right to left", {}, "body { direction: rtl; }"],
  ["dark", { colorScheme: "dark" }, undefined],
  ["dark by the page", { colorScheme: "light" }, ":root { color-scheme: dark; background: #111; color: #eee } #opener, #composer { color: #eee; background: #222 }"],
  ["light by the page", { colorScheme: "dark" }, ":root { color-scheme: light; }"],
  ["in forced colours", { forcedColors: "active" }, undefined],
  ["narrow", { width: 320, height: 480 }, undefined],
]) {
  test(`it is accessible ${name}`, () =>
    inPage(
      async (page) => {
        await asks(page, order);
        await part(page, "dialog").evaluate((dialog) => Promise.all(dialog.getAnimations().map((animation) => animation.finished)));
        await accessible(page);
        await picture(page, `ask-${name.replaceAll(" ", "-")}`);
        const dialog = part(page, "dialog");
        const { dir, back, wide } = await dialog.evaluate((one) => ({ dir: one.dir, back: getComputedStyle(one).backgroundColor, wide: one.scrollWidth > one.clientWidth || document.documentElement.scrollWidth > document.documentElement.clientWidth }));
        assert.equal(wide, false, "nothing sticks out sideways");
        if (name === "right to left") assert.equal(dir, "rtl");
        if (name === "dark" || name === "dark by the page") assert.equal(back, "rgb(33, 33, 38)");
        if (name === "light by the page") assert.equal(back, "rgb(255, 255, 255)");
      },
      { ...options, css },
    ));
}

test("whoever wants less motion gets none", () =>
  inPage(
    async (page) => {
      await asks(page, order);
      assert.equal(await part(page, "dialog").evaluate((dialog) => getComputedStyle(dialog).animationName), "none");
    },
    { reducedMotion: "reduce" },
  ));

test("every word can be another language's", () =>
  inPage(async (page) => {
    const texts = { submit: "Senden", cancel: "Abbrechen", problems: { required: "Bitte ausfüllen." }, summary: "{count} Fehler" };
    await asks(page, { title: "Bestellung", schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } }, { texts });
    assert.equal(await part(page, "submit").textContent(), "Senden");
    await send(page);
    assert.deepEqual(await part(page, "link").allTextContents(), ["Name: Bitte ausfüllen."]);
    assert.match(await part(page, "summary").textContent(), /^1 Fehler/);
  }));

test("lists grow and shrink within their bounds, say so, and keep the focus", () =>
  inPage(async (page) => {
    await asks(page, { title: "T", schema: { type: "object", properties: { names: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 3 } }, required: ["names"] } });
    assert.equal(await part(page, "item").count(), 1);
    assert.equal(await part(page, "remove").isDisabled(), true);
    await part(page, "add").click();
    assert.equal(await part(page, "status").textContent(), "Name 2 added");
    await page.keyboard.type("b");
    await part(page, "add").click();
    await page.keyboard.type("c");
    assert.equal(await part(page, "add").isDisabled(), true);
    await part(page, "remove").first().click();
    assert.equal(await part(page, "status").textContent(), "Name 1 removed");
    await page.keyboard.press("Enter");
    assert.deepEqual(await result(page), { value: { names: ["b", "c"] } });
  }));

test("a schema that cannot be drawn is a JSON field that is checked, and one that is none is refused", () =>
  inPage(async (page) => {
    await asks(page, { title: "T", schema: { type: "object", patternProperties: { "^x": { type: "number" } }, additionalProperties: false } });
    await part(page, "json").fill('{"y": 1}');
    await send(page);
    await part(page, "summary").waitFor();
    await part(page, "json").fill('{"x": 9007199254740993}');
    await send(page);
    assert.match(await part(page, "error").first().textContent(), /JSON/);
    await part(page, "json").fill('{"x": 1}');
    await send(page);
    assert.deepEqual(await result(page), { value: { x: 1 } });
    await page.evaluate(() => void globalThis.asked({ title: "T", schema: { type: "strin" } }));
    assert.equal((await result(page, 1)).error, "invalid-schema");
    assert.equal(await page.locator("pagehand-ask").count(), 0);
  }));
