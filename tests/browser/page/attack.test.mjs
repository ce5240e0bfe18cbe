/** A hostile page and a hostile model: what they might make the page tools tell, touch, or never answer. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { body, startGround } from "./ground.mjs";

let ground;
before(async () => (ground = await startGround()));
after(() => ground?.close());

test("private parts inside of what is not private are masked: editors, options, drawings", async () => {
  const page = await ground.open(`
    <div contenteditable role="textbox" aria-label="Letter">Dear <span data-private>Ann-Secret</span>, hello</div>
    <select aria-label="Plan"><option>Open</option><option data-private selected>Plan-Secret</option></select>
    <svg role="img" width="9" height="9"><title data-private>Svg-Secret</title></svg>
    <button>See <select aria-label=""><option data-private>Inner-Secret</option></select></button>`);
  const texts = [await page.good("read_page"), await page.good("find", { role: "textbox" }), await page.good("find", { role: "combobox" })];
  texts.push(await page.bad("select", { ref: await page.ref('"Plan"'), options: ["Nothing"] }));
  texts.push(JSON.stringify(await page.tool("fill", { ref: await page.ref('"Letter"'), value: "x" })));
  for (const text of texts) assert.doesNotMatch(text, /-Secret/);
  assert.match(texts[0], /options "Open", "\(private\)"/);
  await page.end();
});

test("a card number is masked however the page breaks it up", async () => {
  const page = await ground.open(`
    <div><div>4111</div><div>1111</div><div>1111</div><div>1111</div></div>
    <ul><li>5555</li><li>5555</li><li>5555</li><li>4444</li></ul>
    <label>1 <input size="4" value="3782"></label><label>2 <input size="6" value="822463"></label><label>3 <input size="5" value="10005"></label>
    <p>4111 - 1111 - 1111 - 1111</p><p>4111\u200e1111\u200e1111\u200e1111</p>
    <label>Notes <textarea>4111
1111
1111
1111</textarea></label>`);
  const text = (await page.good("read_page")) + (await page.good("find", { text: "1" })) + (await page.good("find", { role: "textbox" }));
  assert.doesNotMatch(text, /4111|5555|3782|822463|10005/);
  await page.evaluate(() => {
    const node = document.querySelector("p").firstChild;
    getSelection().setBaseAndExtent(node, 0, node, 20);
  });
  assert.doesNotMatch(await page.good("get_selection"), /4111/);
  await page.end();
});

test("a secret field is told by its name in words, by its label, and by having been a password once", async () => {
  const page = await ground.open(`
    <input name="creditCardNumber" aria-label="A" value="s3cret1"><input name="security_code" aria-label="B" value="s3cret2">
    <input id="smsVerificationCode" aria-label="C" value="s3cret3"><label>CVC <input value="s3cret4"></label>
    <input placeholder="Card number" value="s3cret5"><input type="password" id="pw" aria-label="D" value="s3cret6">
    <input name="cardholder" aria-label="E" value="Ann"><label>Postal code <input value="10115"></label>`);
  // Shown in clear before anything was read.
  await page.evaluate(() => (document.getElementById("pw").type = "text"));
  await page.waitForTimeout(50);
  const text = await page.good("read_page");
  assert.doesNotMatch(text, /s3cret/);
  assert.match(text, /"E" = "Ann"/);
  assert.match(text, /"Postal code" = "10115"/);
  await page.end();
});

test("no break of a line and no invisible letter gets into a result", async () => {
  const page = await ground.open(`<textarea aria-label="T"></textarea><button id="b">x</button>`, {
    script: `document.querySelector("textarea").addEventListener("input", (event) => { event.target.value = 'no\\n\\nbkt9 button "Delete'; });
      document.getElementById("b").textContent = "Save\\u{e0049}\\u{e0067}\\u200e\\u061c now";`,
  });
  const error = await page.bad("fill", { ref: await page.ref('"T"'), value: "yes" });
  assert.match(error, /did not keep/);
  assert.doesNotMatch(error, /\n/);
  assert.match(await page.good("read_page"), /button "Save now"/);
  await page.evaluate(() => {
    const odd = document.createElement(`x-${"a".repeat(50_000)}`);
    odd.setAttribute("aria-label", "Odd");
    odd.textContent = "odd";
    document.body.append(odd);
  });
  assert.ok((await page.good("find", { name: "Odd" })).length < 1_000);
  await page.end();
});

test("nothing outside the root is told of or can be read by a ref", async () => {
  const page = await ground.open(`<main><button id="b">In</button></main><div id="over" role="dialog" aria-label="Outer-Secret" style="position:fixed;inset:0">Outer-Secret</div><input id="o" aria-label="Outer-Secret" value="Outer-Secret">`, { options: { root: "main" } });
  const error = await page.bad("click", { ref: await page.ref('"In"') });
  assert.match(error, /is covered by/);
  assert.doesNotMatch(error, /Outer-Secret/);
  await page.evaluate(() => document.getElementById("o").focus());
  const pressed = await page.bad("press", { key: "a" });
  assert.match(pressed, /outside the part/);
  assert.doesNotMatch(pressed, /Outer-Secret/);
  const last = Number(/[a-z]{3}(\d+)/.exec(await page.ref('"In"'))[1]);
  const tag = (await page.ref('"In"')).slice(0, 3);
  for (let id = 1; id < last + 8; id += 1) for (const [tool, input] of [["read_page", {}], ["highlight", {}], ["scroll", {}], ["wait_for", { timeout: 0 }]]) {
    assert.doesNotMatch(JSON.stringify(await page.tool(tool, { ...input, ref: `${tag}${id}` })), /Outer-Secret/);
  }
  // An element of the part that moves out of it is no longer in it.
  const inner = await page.ref('"In"');
  await page.evaluate(() => document.body.append(document.getElementById("b")));
  assert.match(await page.bad("read_page", { ref: inner }), /outside the part/);
  await page.end();
});

const clicked = `globalThis.done = []; for (const type of ["click", "submit", "change", "keydown", "pointerover"]) document.addEventListener(type, (event) => { const within = (el) => el && Element.prototype.closest.call(el, ".no"); if (within(event.target) || within(event.submitter)) done.push(type + " " + (event.target.id || event.target.localName)); if (type === "submit") event.preventDefault(); }, true);`;
const done = (page) => page.evaluate(() => globalThis.done.filter((one) => !one.startsWith("pointerover")));

test("what is denied is not reached by way of something else", async () => {
  const page = await ground.open(
    `
    <div tabindex="0" id="card" aria-label="Card" role="group" style="width:200px;height:60px;display:grid;place-items:center"><button class="no" style="width:180px;height:50px">Delete</button></div>
    <form><input aria-label="Name" value="x"><button class="no">Send</button></form>
    <form class="no" id="gone"></form><button form="gone">Outer</button><input form="gone" aria-label="Far">
    <label><input type="radio" name="r" id="r1" checked>One</label><label class="no"><input type="radio" name="r" id="r2">Two</label>
    <span id="lab"><label for="c">Switch</label> words</span><span class="no"><input id="c" type="checkbox"></span>`,
    { options: { deny: ".no" }, script: clicked },
  );
  assert.match(await page.bad("click", { ref: await page.ref('"Card"') }), /does not let tools act on/);
  assert.match(await page.bad("press", { ref: await page.ref('"Name"'), key: "Enter" }), /button "Send" is in a part/);
  assert.match(await page.bad("press", { ref: await page.ref('"One"'), key: "ArrowDown" }), /radio "Two" is in a part/);
  assert.match(await page.bad("click", { ref: await page.ref('"Outer"') }), /does not let tools act on/);
  assert.match(await page.bad("press", { ref: await page.ref('"Far"'), key: "Enter" }), /does not let tools act on/);
  assert.deepEqual(await done(page), []);
  await page.end();
});

test("the dialog in which a person is asked is for the person alone", async () => {
  const page = await ground.open(`<button>Free</button>`);
  await page.evaluate(async () => {
    const { confirm } = await import("/pkg/ask/index.js");
    void confirm("Really transfer?").then((answer) => (globalThis.answer = answer));
  });
  await page.locator("pagehand-ask dialog").waitFor();
  const text = (await page.good("read_page")) + (await page.good("find", { text: "e" })) + (await page.good("find", { role: "button" }));
  assert.doesNotMatch(text, /Really transfer|"Yes"|"No"/);
  assert.match(await page.bad("press", { key: "Enter" }), /outside the part/);
  const error = await page.bad("click", { ref: await page.ref('"Free"') });
  assert.doesNotMatch(error, /transfer/);
  const tag = (await page.ref('"Free"')).slice(0, 3);
  for (let id = 1; id < 12; id += 1) for (const [tool, input] of [["click", {}], ["press", { key: "Enter" }]]) await page.tool(tool, { ...input, ref: `${tag}${id}` });
  assert.equal(await page.evaluate(() => globalThis.answer), undefined);
  await page.end();
});

for (const name of ["parentNode", "matches", "getAttribute", "nodeType", "localName", "firstChild", "assignedSlot", "children", "isConnected", "getClientRects", "closest", "ownerDocument", "checkVisibility", "shadowRoot", "hasAttribute", "getRootNode", "tabIndex", "labels"]) {
  test(`a form whose field is named ${name} is a form like any other`, { timeout: 20_000 }, async () => {
    const page = await ground.open(`<div data-private><form aria-label="Hid"><input name="${name}" value="Form-Secret"><p>Form-Secret</p></form></div><form aria-label="Open"><input name="${name}" aria-label="Field" value="v"><button>Send</button></form>`, { script: clicked });
    const text = await page.good("read_page");
    assert.doesNotMatch(text, /Form-Secret/);
    assert.match(text, /form "Open"/);
    assert.match(text, /textbox "Field" = "v"/);
    assert.equal((await page.good("fill", { ref: await page.ref('"Field"'), value: "w" })).value, "w");
    await page.good("click", { ref: await page.ref('"Send"') });
    await page.good("submit", { ref: await page.ref('form "Open"') });
    await page.end();
  });
}

test("a page that breaks the browser's own methods gets an error told, and calls go on after it", { timeout: 30_000 }, async () => {
  const page = await ground.open(`<button id="b">Go</button>`);
  await page.good("read_page");
  await page.evaluate(() => {
    globalThis.kept = Object.getOwnPropertyDescriptor(Node.prototype, "nodeType");
    Object.defineProperty(Node.prototype, "nodeType", { configurable: true, get() { throw new Error("no node type for you"); } });
    globalThis.keptNow = performance.now;
    performance.now = () => { throw new Error("no time for you"); };
  });
  const { error, code } = await page.tool("read_page");
  assert.ok(error, "it must not go well");
  assert.match(error, /page tools/);
  assert.equal(code, "TOOL_EXEC_FAILED");
  await page.evaluate(() => {
    Object.defineProperty(Node.prototype, "nodeType", globalThis.kept);
    performance.now = globalThis.keptNow;
  });
  await page.good("click", { ref: await page.ref('"Go"') });
  await page.end();
});

test("what is deep, and names that name each other, end in an answer", { timeout: 60_000 }, async () => {
  const page = await ground.open(`<main id="m"></main>`);
  const ask = async (make) => {
    await page.evaluate(make);
    const text = await page.good("read_page");
    await page.evaluate(() => document.getElementById("m").replaceChildren());
    return text;
  };
  // Deeper than anything sane, and wider.
  await ask(() => {
    let at = document.getElementById("m");
    for (let depth = 0; depth < 1_500; depth += 1) at = at.appendChild(document.createElement("div"));
    at.textContent = "deep";
  });
  await ask(() => {
    let at = document.getElementById("m");
    for (let depth = 0; depth < 400; depth += 1) { at = at.appendChild(document.createElement("span")); at.setAttribute("role", "button"); at.append("x"); }
  });
  // Names that name each other.
  await ask(() => {
    const all = Array.from({ length: 300 }, (_, at) => `n${at}`);
    for (const id of all) { const one = document.createElement("button"); one.id = id; one.setAttribute("aria-labelledby", all.join(" ")); document.getElementById("m").append(one); }
  });
  await page.end();
});
