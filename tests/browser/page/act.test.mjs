/** Acting as a person's hands do: the order of events, what is in the way, fields of every kind, keys, leaving. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startGround } from "./ground.mjs";

let ground;
before(async () => (ground = await startGround()));
after(() => ground?.close());

/** Notes every event of some kinds at the document. */
const recorder = `
  globalThis.heard = [];
  for (const type of ["pointerover", "mouseover", "pointermove", "mousemove", "pointerdown", "mousedown", "focusin", "focusout", "pointerup", "mouseup", "click", "dblclick", "contextmenu", "keydown", "keypress", "beforeinput", "input", "change", "keyup", "submit"])
    document.addEventListener(type, (event) => globalThis.heard.push(type + (event.composedPath()[0].id ? "#" + event.composedPath()[0].id : "")), true);
`;
const heard = (page) => page.evaluate(() => globalThis.heard.splice(0));

test("a click comes with all that comes before it, and the focus moves", async () => {
  const page = await ground.open(`<input id="i" aria-label="Before"><button id="b"><span id="s">Go</span></button>`, { script: recorder });
  await page.evaluate(() => document.getElementById("i").focus());
  await heard(page);
  const result = await page.good("click", { ref: await page.ref('"Go"') });
  assert.deepEqual(await heard(page), ["pointerover#s", "mouseover#s", "pointermove#s", "mousemove#s", "pointerdown#s", "mousedown#s", "focusout#i", "focusin#b", "pointerup#s", "mouseup#s", "click#s"]);
  assert.equal(result.done, "clicked");
  assert.equal(result.role, "button");
  assert.equal(result.name, "Go");
  assert.match(result.untrusted, /never instructions/);
  await page.good("click", { ref: await page.ref('"Go"'), count: 2 });
  assert.deepEqual((await heard(page)).filter((one) => /click/.test(one)), ["click#s", "click#s", "dblclick#s"]);
  await page.good("click", { ref: await page.ref('"Go"'), button: "right" });
  assert.ok((await heard(page)).includes("contextmenu#s"));
  await page.end();
});

test("a page that takes over the pressing keeps the focus where it was", async () => {
  const page = await ground.open(`<input id="i" aria-label="Here"><button id="b">Bold</button>`, { script: `document.getElementById("b").addEventListener("mousedown", (event) => event.preventDefault()); document.getElementById("i").focus();` });
  await page.good("click", { ref: await page.ref('"Bold"') });
  assert.equal(await page.evaluate(() => document.activeElement.id), "i");
  await page.end();
});

test("what is in the way is named, and nothing is clicked", async () => {
  const page = await ground.open(`
    <button id="c">Covered</button><button disabled>Off</button><fieldset disabled><legend>Payment</legend><button>Inside</button></fieldset>
    <button aria-disabled="true">Aria</button><button style="pointer-events:none">Ghost</button><button id="h">Hides</button>
    <div id="inert" aria-label="Blocked" role="group"><button id="in">Inert</button></div>
    <div role="dialog" aria-label="Cookies" style="position:fixed;inset:0 0 auto 0;height:40px;background:#fff"></div>`, { script: "globalThis.clicks = 0; addEventListener('click', () => (globalThis.clicks += 1), true);" });
  const inert = await page.ref('"Inert"');
  const hides = await page.ref('"Hides"');
  await page.evaluate(() => {
    document.getElementById("h").style.display = "none";
    document.getElementById("inert").inert = true;
  });
  assert.match(await page.bad("click", { ref: await page.ref('"Covered"') }), /button "Covered" is covered by [a-z]{3}\d+ dialog "Cookies"/);
  assert.match(await page.bad("click", { ref: await page.ref('"Off"') }), /button "Off" is disabled$/);
  assert.match(await page.bad("click", { ref: await page.ref('"Inside"') }), /button "Inside" is disabled, by [a-z]{3}\d+ group "Payment"/);
  assert.match(await page.bad("click", { ref: await page.ref('"Aria"') }), /button "Aria" is disabled/);
  assert.match(await page.bad("click", { ref: await page.ref('"Ghost"') }), /does not take clicks now/);
  assert.match(await page.bad("click", { ref: hides }), /button "Hides" is not visible now/);
  assert.match(await page.bad("click", { ref: inert }), /group "Blocked" is inert/);
  assert.equal(await page.evaluate(() => globalThis.clicks), 0);
  await page.end();
});

test("what covers for a moment only is waited for", async () => {
  const page = await ground.open(`<button id="c">Save</button><div id="veil" style="position:fixed;inset:0"></div>`, { script: "globalThis.uncover = () => setTimeout(() => document.getElementById('veil').remove(), 250);" });
  const ref = await page.ref('"Save"');
  await page.evaluate(() => globalThis.uncover());
  await page.good("click", { ref });
  await page.end();
});

test("it is scrolled into view, in shadow roots and frames too", async () => {
  ground.serve("/far.html", `<div style="height:3000px"></div><button onclick="0" id="far">Far in frame</button>`);
  const page = await ground.open(`<div style="height:3000px"></div><x-host></x-host><div style="height:3000px"></div><iframe title="F" src="/far.html" style="height:200px"></iframe>`, {
    script: `customElements.define("x-host", class extends HTMLElement { constructor() { super(); const button = document.createElement("button"); button.textContent = "Far in shadow"; button.addEventListener("click", () => (globalThis.shadowed = true)); this.attachShadow({ mode: "open" }).append(button); } });
      globalThis.arm = () => document.querySelector("iframe").contentDocument.getElementById("far").addEventListener("click", (event) => (globalThis.framed = event.view === document.querySelector("iframe").contentWindow));`,
  });
  await page.evaluate(() => globalThis.arm());
  await page.good("click", { ref: await page.ref("Far in shadow") });
  await page.good("click", { ref: await page.ref("Far in frame") });
  assert.deepEqual(await page.evaluate(() => [globalThis.shadowed, globalThis.framed]), [true, true]);
  await page.evaluate(() => document.querySelector("iframe").remove());
  await page.end();
});

test("fields of every kind take their values, with the events of a person", async () => {
  const page = await ground.open(`
    <label>Text <input id="t" value="old"></label><label>Area <textarea id="a"></textarea></label><label>Number <input id="n" type="number" min="0" max="10"></label>
    <label>Date <input id="d" type="date"></label><label>Time <input id="m" type="time"></label><label>When <input id="w" type="datetime-local"></label>
    <label>Color <input id="c" type="color"></label><label>Range <input id="r" type="range" max="50"></label><label>Mail <input id="e" type="email"></label>
    <label>Short <input maxlength="3"></label><label>Fixed <input readonly value="x"></label><label>File <input type="file"></label><button>Push</button>`, { script: recorder });
  const fill = async (name, value) => page.good("fill", { ref: await page.ref(name), value });
  const refused = async (name, value) => page.bad("fill", { ref: await page.ref(name), value });
  assert.equal((await fill('"Text"', "new text")).value, "new text");
  assert.deepEqual((await heard(page)).filter((one) => one.endsWith("#t")), ["focusin#t", "beforeinput#t", "input#t", "change#t"]);
  await fill('"Area"', "two\nlines");
  assert.equal(await page.evaluate(() => document.getElementById("a").value), "two\nlines");
  for (const [name, value] of [['"Number"', "7"], ['"Date"', "2026-11-30"], ['"Time"', "18:05"], ['"When"', "2026-11-30T18:05"], ['"Color"', "#12AB34"], ['"Range"', "20"]]) await fill(name, value);
  assert.deepEqual(await page.evaluate(() => ["n", "d", "m", "w", "c", "r"].map((id) => document.getElementById(id).value)), ["7", "2026-11-30", "18:05", "2026-11-30T18:05", "#12ab34", "20"]);
  await fill('"Text"', "");
  assert.match((await fill('"Mail"', "no mail")).note, /the browser says of it/);
  assert.match((await fill('"Number"', "99")).note, /the browser says of it/);
  assert.match(await refused('"Number"', "many"), /spinbutton "Number" takes a number, min 0, max 10/);
  assert.match(await refused('"Date"', "30.11.2026"), /takes a date as YYYY-MM-DD/);
  assert.match(await refused('"Color"', "red"), /takes a color as #rrggbb/);
  assert.match(await refused('"Range"', "70"), /takes a number within its range, max 50/);
  assert.match(await refused('"Short"', "long"), /takes at most 3 characters/);
  assert.match(await refused('"Fixed"', "y"), /is read-only/);
  assert.match(await refused('"File"', "a.txt"), /needs a person to choose a file/);
  assert.match(await refused('"Push"', "y"), /button "Push" is no field/);
  await page.end();
});

test("a page that refuses or changes what was filled is told on", async () => {
  const page = await ground.open(`<label>Stubborn <input id="s" value="mine"></label><label>Phone <input id="p"></label><label>Cap <input id="c"></label>`, {
    script: `
      document.getElementById("s").addEventListener("input", (event) => setTimeout(() => (event.target.value = "mine"), 20));
      document.getElementById("p").addEventListener("input", (event) => (event.target.value = event.target.value.replace(/^(\\d{3})(\\d{3})(\\d{4})$/, "($1) $2-$3")));
      document.getElementById("c").addEventListener("input", (event) => (event.target.value = ""));
    `,
  });
  assert.match(await page.bad("fill", { ref: await page.ref('"Stubborn"'), value: "yours" }), /textbox "Stubborn" did not keep what was filled: it now holds "mine"/);
  assert.match((await page.good("fill", { ref: await page.ref('"Phone"'), value: "5551234567" })).note, /the page writes it as "\(555\) 123-4567"/);
  assert.match(await page.bad("fill", { ref: await page.ref('"Cap"'), value: "x" }), /is empty: the page did not take/);
  await page.end();
});

test("editors get their text through the editing pipeline", async () => {
  const page = await ground.open(`<div id="e" contenteditable="true" aria-label="Message"><p>old</p></div>`, { script: recorder });
  const result = await page.good("fill", { ref: await page.ref('textbox "Message"'), value: "Dear Ann" });
  assert.equal(result.value, "Dear Ann");
  assert.ok((await heard(page)).includes("beforeinput#e"));
  assert.equal(await page.evaluate(() => document.getElementById("e").innerText.trim()), "Dear Ann");
  await page.good("fill", { ref: await page.ref('textbox "Message"'), value: "" });
  assert.equal(await page.evaluate(() => document.getElementById("e").innerText.trim()), "");
  await page.end();
});

test("native lists: one, several, disabled, unknown", async () => {
  const page = await ground.open(`
    <label>Size <select id="s"><option value="s">Small</option><option value="l">Large</option><option disabled>Huge</option></select></label>
    <label>Toppings <select id="m" multiple><option selected>Nuts</option><option>Cream</option><option>Fruit</option></select></label>`, { script: recorder });
  const choose = async (name, ...options) => page.good("select", { ref: await page.ref(name), options });
  const refused = async (name, ...options) => page.bad("select", { ref: await page.ref(name), options });
  assert.equal((await choose('"Size"', "Large")).value, "Large");
  assert.deepEqual((await heard(page)).filter((one) => one.endsWith("#s")).slice(-2), ["input#s", "change#s"]);
  assert.equal((await choose('"Size"', "s")).value, "Small");
  assert.equal((await choose('"Toppings"', "Cream", "fruit")).value, "Cream, Fruit");
  assert.equal((await choose('"Toppings"')).value, "");
  assert.match(await refused('"Size"', "Tiny"), /combobox "Size" has no option "Tiny"; it has options "Small", "Large", "Huge"/);
  assert.match(await refused('"Size"', "Huge"), /has the option "Huge", but it is disabled/);
  assert.match(await refused('"Size"', "Small", "Large"), /takes exactly one option/);
  assert.match(await page.bad("click", { ref: await page.ref('"Size"') }), /use the select tool/);
  await page.end();
});

test("a list that the page builds is opened and its option clicked, however late it comes", async () => {
  const page = await ground.open(`<button id="b" role="combobox" aria-expanded="false" aria-controls="l" aria-label="Color">None</button><ul id="l" role="listbox" hidden></ul>`, {
    script: `
      const button = document.getElementById("b"), list = document.getElementById("l");
      // As component libraries do: it opens on mousedown, and its options come later.
      button.addEventListener("mousedown", () => { list.hidden = false; button.ariaExpanded = "true"; setTimeout(() => { for (const name of ["Red", "Green"]) { const one = document.createElement("li"); one.role = "option"; one.textContent = name; one.addEventListener("click", () => { button.textContent = name; globalThis.chosen = name; list.hidden = true; button.ariaExpanded = "false"; }); list.append(one); } }, 200); }, { once: true });
    `,
  });
  await page.good("select", { ref: await page.ref('"Color"'), options: ["green"] });
  assert.equal(await page.evaluate(() => globalThis.chosen), "Green");
  await page.end();
});

test("switches of every kind, also those that hide behind their label", async () => {
  const page = await ground.open(`
    <style>.styled input { position:absolute; opacity:0; width:1px; height:1px; clip-path:inset(50%) } .styled span { display:inline-block; width:40px; height:20px; background:#ccc }</style>
    <label><input id="c" type="checkbox"> Gift</label><label class="styled"><input id="h" type="checkbox" aria-label="Styled"><span></span></label>
    <label><input id="r1" type="radio" name="r" checked> Red</label><label><input id="r2" type="radio" name="r"> Blue</label>
    <div id="w" role="switch" aria-checked="false" tabindex="0">Dark</div><div role="switch" aria-checked="false" tabindex="0">Dead</div><button>Plain</button>`, {
    script: `document.getElementById("w").addEventListener("click", ({ target }) => (target.ariaChecked = String(target.ariaChecked !== "true"))); ${recorder}`,
  });
  const check = async (name, checked) => page.good("check", { ref: await page.ref(name), checked });
  assert.equal((await check('"Gift"', true)).done, "switched on");
  assert.equal((await check('"Gift"', true)).done, "it was on already");
  assert.equal((await check('"Gift"', false)).done, "switched off");
  await check('"Styled"', true);
  await check('"Blue"', true);
  await check('"Dark"', true);
  assert.deepEqual(await page.evaluate(() => ["c", "h", "r1", "r2"].map((id) => document.getElementById(id).checked)), [false, true, false, true]);
  assert.match(await page.bad("check", { ref: await page.ref('"Blue"'), checked: false }), /is one of several/);
  assert.match(await page.bad("check", { ref: await page.ref('"Dead"') }), /switch "Dead" is still off: the page did not take the click/);
  assert.match(await page.bad("check", { ref: await page.ref('"Plain"') }), /nothing that is switched/);
  await page.end();
});

test("keys write, delete, move, press and send as in a browser", async () => {
  const page = await ground.open(`
    <form id="f"><input id="a" aria-label="First"><input id="b" aria-label="Second" type="number" value="3"><button id="go">Send</button></form>
    <label><input id="c" type="checkbox"> Gift</label><dialog id="d" aria-label="Box"><button id="in">In</button></dialog>`, {
    script: `${recorder} globalThis.sent = 0; document.getElementById("f").addEventListener("submit", (event) => { event.preventDefault(); globalThis.sent += 1; });`,
  });
  const press = async (key, more = {}) => page.good("press", { key, ...more });
  const state = (id) => page.evaluate((one) => document.getElementById(one).value, id);
  const focused = () => page.evaluate(() => document.activeElement.id);
  await press("H", { ref: await page.ref('"First"') });
  assert.deepEqual((await heard(page)).slice(-5), ["keydown#a", "keypress#a", "beforeinput#a", "input#a", "keyup#a"]);
  await press("i");
  await press("!", { times: 3 });
  assert.equal(await state("a"), "Hi!!!");
  await press("Backspace", { times: 2 });
  assert.equal(await state("a"), "Hi!");
  await press("Control+a");
  await press("Backspace");
  assert.equal(await state("a"), "");
  await press("Tab");
  assert.equal(await focused(), "b");
  await press("ArrowUp", { times: 2 });
  assert.equal(await state("b"), "5");
  await press("Shift+Tab");
  assert.equal(await focused(), "a");
  await press("Enter");
  await press("Enter", { ref: await page.ref('"Send"') });
  assert.equal(await page.evaluate(() => globalThis.sent), 2);
  await press("Space", { ref: await page.ref('"Gift"') });
  assert.equal(await page.evaluate(() => document.getElementById("c").checked), true);
  await page.evaluate(() => document.getElementById("d").showModal());
  await press("Escape");
  assert.equal(await page.evaluate(() => document.getElementById("d").open), false);
  assert.match(await page.bad("press", { key: "Entr" }), /"Entr" is no key/);
  await page.end();
});

test("hover shows what shows only then, and leaves what it was over", async () => {
  const page = await ground.open(`<div id="m" role="button" tabindex="0">Menu</div><ul id="l" hidden><li>Item</li></ul><button id="o">Other</button>`, {
    script: `const list = document.getElementById("l"), menu = document.getElementById("m"); menu.addEventListener("mouseenter", () => (list.hidden = false)); menu.addEventListener("pointerleave", () => (globalThis.left = true));`,
  });
  await page.good("hover", { ref: await page.ref('"Menu"') });
  assert.match(await page.good("read_page"), /listitem "Item"/);
  await page.good("hover", { ref: await page.ref('"Other"') });
  assert.equal(await page.evaluate(() => globalThis.left), true);
  await page.end();
});

test("scrolling the page and what scrolls in it", async () => {
  const page = await ground.open(`<div id="box" role="group" aria-label="Box" style="height:100px;overflow:auto"><div style="height:1000px"><button>Inside</button></div></div><div style="height:4000px"></div><button id="end">End</button>`);
  assert.match((await page.good("scroll", { direction: "down" })).note, /^at 720 of \d+$/);
  assert.match((await page.good("scroll", { direction: "up", pages: 50 })).note, /^at 0 of \d+ \(the start\)$/);
  assert.match((await page.good("scroll", { direction: "down", pages: 99, ref: await page.ref('"Inside"') })).note, /\(the end\)/);
  assert.ok((await page.evaluate(() => document.getElementById("box").scrollTop)) > 800);
  await page.good("scroll", { ref: await page.ref('"End"') });
  assert.ok(await page.evaluate(() => document.getElementById("end").getBoundingClientRect().top < innerHeight));
  assert.match(await page.bad("scroll", {}), /give a `ref`/);
  await page.end();
});

test("waiting for a text, an element, their end, and rest", async () => {
  const page = await ground.open(`<p id="p">Loading</p><button id="b" style="visibility:hidden">Late</button>`, {
    script: `globalThis.later = (run) => setTimeout(run, 300);`,
  });
  await page.evaluate(() => globalThis.later(() => (document.getElementById("p").textContent = "Ready now")));
  await page.good("wait_for", { text: "ready" });
  await page.evaluate(() => globalThis.later(() => (document.getElementById("p").textContent = "")));
  await page.good("wait_for", { text: "ready", gone: true });
  await page.evaluate(() => (document.getElementById("b").style.visibility = "visible"));
  const ref = await page.ref('"Late"');
  await page.evaluate(() => globalThis.later(() => document.getElementById("b").remove()));
  await page.good("wait_for", { ref, gone: true });
  await page.evaluate(() => {
    let count = 0;
    const timer = setInterval(() => ((document.getElementById("p").textContent = String((count += 1))), count > 5 && clearInterval(timer)), 100);
  });
  assert.match((await page.good("wait_for", { idle: true })).note, /after (9|1\d|2\d)\d\d? ?\d* ms/);
  assert.match(await page.bad("wait_for", { text: "never", timeout: 200 }), /waited \d+ ms in vain for the text "never"/);
  assert.match(await page.bad("wait_for", {}), /exactly one of/);
  await page.end();
});

test("a mark is for the person alone: it covers nothing, is not read, and goes", async () => {
  const page = await ground.open(`<button id="b">Here</button>`);
  const ref = await page.ref('"Here"');
  const before = await page.good("read_page");
  await page.good("highlight", { ref, seconds: 0.5 });
  assert.equal(await page.evaluate(() => document.querySelectorAll("[data-pagehand-highlight]").length), 1);
  assert.equal((await page.good("read_page")).replace(/scrolled.*\n/, ""), before.replace(/scrolled.*\n/, ""));
  await page.good("click", { ref });
  await page.waitForFunction(() => !document.querySelector("[data-pagehand-highlight]"));
  assert.deepEqual(page.trouble, []);
  await page.end();
});

/** Calls a tool and leaves word in the session's storage that its answer came before the page went; what the call is evaluated in may be gone before it can be told. */
const answered = (page, name, input) => page.evaluate(async ([tool, given]) => {
  const { data, error } = await globalThis.call(tool, given);
  sessionStorage.setItem("answer", JSON.stringify({ data, error: error ?? null, at: location.pathname }));
}, [name, input]).catch((error) => {
  if (!/Execution context was destroyed/.test(error.message)) throw error;
});
const answer = (page) => page.evaluate(() => JSON.parse(sessionStorage.getItem("answer")));

test("a link and a form answer before the page goes, and the page's own listeners come first", async () => {
  ground.serve("/next.html", "<h1>Next</h1>");
  const page = await ground.open(`<a href="/next.html">Away</a><a href="/next.html" id="own">Routed</a><form action="/next.html"><input name="q" value="tea"><button name="how" value="fast">Send</button></form><a href="#here">Anchor</a>`, {
    script: `document.getElementById("own").addEventListener("click", (event) => { event.preventDefault(); globalThis.routed = true; });`,
  });
  const start = page.url();
  await page.good("click", { ref: await page.ref('"Routed"') });
  assert.equal(await page.evaluate(() => globalThis.routed), true);
  await page.good("click", { ref: await page.ref('"Anchor"') });
  assert.match(page.url(), /#here$/);
  await answered(page, "click", { ref: await page.ref('"Away"') });
  await page.waitForURL("**/next.html");
  assert.match((await answer(page)).data.note, /the page goes to http:\/\/127\.0\.0\.1:\d+\/next\.html now/);
  await page.goto(start);
  await ground.equip(page);
  await answered(page, "click", { ref: await page.ref('"Send"') });
  await page.waitForURL("**/next.html?q=tea&how=fast");
  assert.match((await answer(page)).data.note, /the form is being sent/);
  await page.end();
});

test("a form is sent once its fields are valid, and what is wrong is told field by field", async () => {
  const page = await ground.open(`<form aria-label="Order"><label>Name <input required></label><label>Mail <input type="email" value="x"></label><button>Send</button></form><button>Alone</button>`, {
    script: `globalThis.sent = 0; document.querySelector("form").addEventListener("submit", (event) => { event.preventDefault(); globalThis.sent += 1; });`,
  });
  assert.match(await page.bad("submit", { ref: await page.ref('form "Order"') }), /form "Order" was not sent: [a-z]{3}\d+ textbox "Name": .+; [a-z]{3}\d+ textbox "Mail": .+/);
  await page.good("fill", { ref: await page.ref('"Name"'), value: "Ann" });
  await page.good("fill", { ref: await page.ref('"Mail"'), value: "ann@example.com" });
  assert.equal((await page.good("submit", { ref: await page.ref('"Name"') })).done, "sent the form");
  assert.equal(await page.evaluate(() => globalThis.sent), 1);
  assert.match(await page.bad("submit", { ref: await page.ref('"Alone"') }), /is in no form/);
  await page.end();

  const shadowed = await ground.open(`<form aria-label="Traps"><input name="elements" aria-label="A"><input name="submit" aria-label="B"><button class="no">Send</button></form>`, { options: { deny: ".no" } });
  assert.match(await shadowed.bad("submit", { ref: await shadowed.ref('form "Traps"') }), /button "Send" is in a part of the page that this app does not let/);
  await shadowed.end();
});

test("navigating answers first, and only within this site", async () => {
  ground.serve("/there.html", "<h1>There</h1>");
  const page = await ground.open(`<h1>Here</h1>`);
  for (const to of ["https://elsewhere.example/?q=secret", "javascript:alert(1)", "data:text/html,x", "//elsewhere.example/"]) {
    assert.match(await page.bad("navigate", { to }), /is not an address of this site/, to);
  }
  await answered(page, "navigate", { to: "/there.html" });
  await page.waitForURL("**/there.html");
  assert.equal((await answer(page)).data.done, "goes now");
  await page.end();
});

test("a call that is no longer wanted ends at once", async () => {
  const page = await ground.open(`<p>x</p>`);
  const found = await page.evaluate(async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 100);
    const start = performance.now();
    const { error, report } = await globalThis.tools.wait_for.invoke({ text: "never" }, { signal: stop.signal });
    return { error: error.message, status: report.status, took: performance.now() - start };
  });
  assert.equal(found.status, "cancelled");
  assert.ok(found.took < 1_000);
  await page.end();
});

test("a page that calls tools from inside its own listeners does not break them", async () => {
  const page = await ground.open(`<button id="b">Go</button>`, { script: `document.getElementById("b").addEventListener("click", () => { globalThis.inner = globalThis.call("read_page", {}); });` });
  await page.good("click", { ref: await page.ref('"Go"') });
  assert.match(await page.evaluate(async () => (await globalThis.inner).data), /button "Go"/);
  await page.end();
});
