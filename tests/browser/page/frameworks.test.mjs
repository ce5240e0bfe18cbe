/** What reaches the state of frameworks and editors: React's controlled form, Vue's models, Lexical, ProseMirror, Material Web, a web component. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startGround } from "./ground.mjs";

let ground;
before(async () => (ground = await startGround()));
after(() => ground?.close());

/** Opens a page whose script is made of packages. */
async function openBundle(name, body, code) {
  await ground.bundle(`/${name}.js`, code);
  const page = await ground.open(body, { head: `<script type="module" src="/${name}.js"></script>` });
  await page.waitForFunction(() => globalThis.state);
  return page;
}

const state = (page) => page.evaluate(() => globalThis.state());

/** Fills a form with a field of every kind. */
async function fillForm(page) {
  for (const [name, value] of [["Name", "Ann"], ["Note", "two words"], ["Number", "7"], ["Date", "2026-11-30"], ["Color", "#12ab34"], ["Range", "20"]]) {
    await page.good("fill", { ref: await page.ref(`"${name}"`), value });
  }
  await page.good("select", { ref: await page.ref('"Size"'), options: ["Large"] });
  await page.good("check", { ref: await page.ref('"Gift"') });
  await page.good("check", { ref: await page.ref('"News"') });
  await page.good("check", { ref: await page.ref('"Blue"') });
}
const filled = { name: "Ann", note: "two words", number: "7", date: "2026-11-30", color: "#12ab34", range: "20", size: "l", gift: true, news: true, hue: "blue" };

test("React 19: a controlled form's state is what was filled", async () => {
  const page = await openBundle("react", '<div id="app"></div>', `
    import { createElement as h, useState } from "react";
    import { createRoot } from "react-dom/client";
    function App() {
      const [data, setData] = useState({ name: "x", note: "", number: "", date: "", color: "#000000", range: "0", size: "s", gift: false, news: false, hue: "red" });
      globalThis.state = () => data;
      const text = (key, type) => h("input", { type, value: data[key], max: type === "range" ? 50 : undefined, onChange: (event) => setData((old) => ({ ...old, [key]: event.target.value })) });
      const tick = (key) => h("input", { type: "checkbox", checked: data[key], onChange: (event) => setData((old) => ({ ...old, [key]: event.target.checked })) });
      const hue = (value) => h("input", { type: "radio", name: "hue", checked: data.hue === value, onChange: () => setData((old) => ({ ...old, hue: value })) });
      return h("form", null,
        h("label", null, "Name ", text("name", "text")), h("label", null, "Note ", h("textarea", { value: data.note, onChange: (event) => setData((old) => ({ ...old, note: event.target.value })) })),
        h("label", null, "Number ", text("number", "number")), h("label", null, "Date ", text("date", "date")), h("label", null, "Color ", text("color", "color")), h("label", null, "Range ", text("range", "range")),
        h("label", null, "Size ", h("select", { value: data.size, onChange: (event) => setData((old) => ({ ...old, size: event.target.value })) }, h("option", { value: "s" }, "Small"), h("option", { value: "l" }, "Large"))),
        h("label", null, tick("gift"), " Gift"), h("label", null, tick("news"), " News"), h("label", null, hue("red"), " Red"), h("label", null, hue("blue"), " Blue"),
        h("label", null, "Upper ", h("input", { value: (data.upper ?? ""), onChange: () => undefined })));
    }
    createRoot(document.getElementById("app")).render(h(App));
  `);
  await fillForm(page);
  assert.deepEqual(await state(page), filled);
  assert.match(await page.bad("fill", { ref: await page.ref('"Upper"'), value: "ignored" }), /textbox "Upper" is empty: the page did not take what was filled/);
  await page.end();
});

test("Vue 3: models are what was filled, and two switches in a row both count", async () => {
  const page = await openBundle("vue", '<div id="app"></div>', `
    import { createApp, h, reactive, withDirectives, vModelText, vModelCheckbox, vModelRadio, vModelSelect } from "vue";
    const data = reactive({ name: "x", note: "", number: "", date: "", color: "#000000", range: "0", size: "s", gift: false, news: false, hue: "red" });
    globalThis.state = () => ({ ...data });
    const model = (node, kind, key) => withDirectives(node, [[kind, data[key]]]);
    const set = (key) => (value) => (data[key] = value);
    const text = (key, type, label) => h("label", [label, model(h(type === "area" ? "textarea" : "input", { ...(type === "area" ? {} : { type }), ...(type === "range" ? { max: 50 } : {}), "onUpdate:modelValue": set(key) }), vModelText, key)]);
    createApp({ render: () => h("form", [text("name", "text", "Name"), text("note", "area", "Note"), text("number", "number", "Number"), text("date", "date", "Date"), text("color", "color", "Color"), text("range", "range", "Range"),
      h("label", ["Size", model(h("select", { "onUpdate:modelValue": set("size") }, [h("option", { value: "s" }, "Small"), h("option", { value: "l" }, "Large")]), vModelSelect, "size")]),
      ...["gift", "news"].map((key) => h("label", [model(h("input", { type: "checkbox", "onUpdate:modelValue": set(key) }), vModelCheckbox, key), key === "gift" ? "Gift" : "News"])),
      ...["red", "blue"].map((value) => h("label", [model(h("input", { type: "radio", value, "onUpdate:modelValue": set("hue") }), vModelRadio, "hue"), value === "red" ? "Red" : "Blue"])) ]) }).mount("#app");
  `);
  await fillForm(page);
  const { number, ...rest } = await state(page);
  assert.deepEqual({ ...rest, number: String(number) }, filled);
  await page.end();
});

test("Lexical takes the text, and its state says so", async () => {
  const page = await openBundle("lexical", '<div id="editor" contenteditable="true" aria-label="Message"></div>', `
    import { createEditor, $getRoot, $createParagraphNode, $createTextNode, COMMAND_PRIORITY_EDITOR, CONTROLLED_TEXT_INSERTION_COMMAND, PASTE_COMMAND, DELETE_CHARACTER_COMMAND, $getSelection, $isRangeSelection } from "lexical";
    const editor = createEditor({ namespace: "test", onError: (error) => { throw error; } });
    editor.setRootElement(document.getElementById("editor"));
    // What the plain-text plugin registers.
    editor.registerCommand(CONTROLLED_TEXT_INSERTION_COMMAND, (event) => { const selection = $getSelection(); if (!$isRangeSelection(selection)) return false; selection.insertText(typeof event === "string" ? event : event.dataTransfer?.getData("text/plain") ?? event.data ?? ""); return true; }, COMMAND_PRIORITY_EDITOR);
    editor.registerCommand(DELETE_CHARACTER_COMMAND, (backward) => { const selection = $getSelection(); if (!$isRangeSelection(selection)) return false; selection.deleteCharacter(backward); return true; }, COMMAND_PRIORITY_EDITOR);
    editor.registerCommand(PASTE_COMMAND, (event) => { event.preventDefault(); const selection = $getSelection(); if ($isRangeSelection(selection)) selection.insertText(event.clipboardData.getData("text/plain")); return true; }, COMMAND_PRIORITY_EDITOR);
    editor.update(() => $getRoot().clear().append($createParagraphNode().append($createTextNode("old words"))), { discrete: true });
    globalThis.state = () => editor.getEditorState().read(() => $getRoot().getTextContent());
  `);
  assert.equal(await state(page), "old words");
  const result = await page.good("fill", { ref: await page.ref('textbox "Message"'), value: "Dear Ann" });
  assert.equal(result.value, "Dear Ann");
  assert.equal(await state(page), "Dear Ann");
  await page.end();
});

test("ProseMirror takes the text, and its document says so", async () => {
  const page = await openBundle("prosemirror", '<div id="editor"></div>', `
    import { EditorState } from "prosemirror-state";
    import { EditorView } from "prosemirror-view";
    import { schema } from "prosemirror-schema-basic";
    import { keymap } from "prosemirror-keymap";
    import { baseKeymap } from "prosemirror-commands";
    const doc = schema.node("doc", null, [schema.node("paragraph", null, [schema.text("old words")])]);
    const view = new EditorView(document.getElementById("editor"), { state: EditorState.create({ doc, plugins: [keymap(baseKeymap)] }), attributes: { "aria-label": "Message" } });
    globalThis.state = () => view.state.doc.textBetween(0, view.state.doc.content.size, "|");
  `);
  const ref = await page.ref('textbox "Message"');
  const result = await page.good("fill", { ref, value: "Dear Ann" });
  assert.equal(result.value, "Dear Ann");
  assert.equal(await state(page), "Dear Ann");
  await page.good("press", { ref, key: "Enter" });
  await page.good("press", { key: "!" });
  await page.end();
});

test("Material Web: fields, boxes, switches and lists in shadow roots hold what was filled", async () => {
  const body = `
    <md-outlined-text-field label="Name"></md-outlined-text-field>
    <md-filled-text-field label="Note" type="textarea" rows="2"></md-filled-text-field>
    <md-outlined-text-field label="Number" type="number"></md-outlined-text-field>
    <md-checkbox aria-label="Gift"></md-checkbox>
    <md-switch aria-label="News"></md-switch>
    <md-filled-button>Send</md-filled-button>`;
  const page = await openBundle("material", body, `
    import "@material/web/textfield/outlined-text-field.js";
    import "@material/web/textfield/filled-text-field.js";
    import "@material/web/checkbox/checkbox.js";
    import "@material/web/switch/switch.js";
    import "@material/web/button/filled-button.js";
    const one = (selector) => document.querySelector(selector);
    let sent = 0;
    one("md-filled-button").addEventListener("click", () => (sent += 1));
    globalThis.state = () => ({ name: one("[label=Name]").value, note: one("[label=Note]").value, number: one("[label=Number]").value, gift: one("md-checkbox").checked, news: one("md-switch").selected, sent });
  `);
  for (const [name, value] of [['textbox "Name"', "Ann"], ['textbox "Note"', "two words"], ['spinbutton "Number"', "7"]]) {
    await page.good("fill", { ref: await page.ref(name), value });
  }
  for (const name of ['checkbox "Gift"', 'switch "News"']) await page.good("check", { ref: await page.ref(name) });
  await page.good("click", { ref: await page.ref('button "Send"') });
  assert.deepEqual(await state(page), { name: "Ann", note: "two words", number: "7", gift: true, news: true, sent: 1 });
  await page.end();
});

test("a web component hears of what was written into it", async () => {
  const page = await openBundle("component", "<x-field></x-field>", `
    customElements.define("x-field", class extends HTMLElement {
      connectedCallback() {
        const input = document.createElement("input");
        input.ariaLabel = "Deep";
        this.attachShadow({ mode: "open" }).append(input);
      }
    });
    let value = "";
    document.addEventListener("input", (event) => (value = event.composedPath()[0].value));
    globalThis.state = () => value;
  `);
  await page.good("fill", { ref: await page.ref('"Deep"'), value: "heard" });
  assert.equal(await state(page), "heard");
  await page.end();
});
