/** Approvals and forms of calls in the real dialog: the exact arguments, changes, a yes that lasts, a no, a reload. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { startDemo } from "../../www/server.mjs";
import { accessible, part } from "./ask/stage.mjs";
import { assertSettledOnce, picture, startBrowser } from "./helpers.mjs";
import { until } from "./life/stage.mjs";

const script = await readFile(new URL("./ask/page.js", import.meta.url));
const html = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Stage</title><script type="module" src="/ask.js"></script><main><h1>Stage</h1><input id="composer" aria-label="Message"></main></html>';
const rules = [
  { when: { after: "*" }, say: "{{result}}" },
  { when: { user: "tricky" }, call: [{ name: "pay", arguments: { to: "Ada\u202Egnp.exe", sum: 7 } }] },
  { when: { user: "more" }, call: [{ name: "edit", arguments: { to: "Ada", sum: 7, account: "EVIL-1" } }] },
  { when: { user: "hidden" }, call: [{ name: "edit", arguments: { to: "Ada\u202Egnp.exe", sum: 7 } }] },
  ...["pay", "edit", "once"].map((name) => ({ when: { user: name }, call: [{ name, arguments: { to: "Ada", sum: 7 } }] })),
  ...["reads", "acts"].map((name) => ({ when: { user: name }, call: [{ name }] })),
];

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.close());

/** Runs `work` in a page with an engine of its own; ends with its books: each call was settled once. */
async function play(work) {
  const ran = [];
  const intercept = async (request, response) => {
    const { pathname } = new URL(request.url, "http://page");
    if (pathname === "/ask.html") response.writeHead(200, { "content-type": "text/html", "content-security-policy": "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; require-trusted-types-for 'script'; trusted-types 'none'" }).end(html);
    else if (pathname === "/favicon.ico") response.writeHead(204).end();
    else if (pathname === "/ask.js") response.writeHead(200, { "content-type": "text/javascript" }).end(script);
    else if (pathname.startsWith("/ran/")) {
      const chunks = await request.toArray();
      ran.push([pathname.slice(5), JSON.parse(Buffer.concat(chunks).toString() || "null")]);
      response.end();
    } else return false;
    return true;
  };
  const demo = await startDemo({ intercept, config: { script: { rules } } });
  const page = await browser.page();
  const ready = () => page.waitForFunction(() => globalThis.stage);
  await page.goto(`${demo.url}ask.html`);
  await ready();
  const session = await page.evaluate(() => globalThis.stage.runtime.sessionId);
  const stage = {
    page,
    ran,
    send: (text) => page.evaluate((words) => void globalThis.stage.runtime.send(words), text),
    dialog: () => part(page, "dialog").waitFor(),
    reload: async () => {
      await page.reload();
      await ready();
    },
    /** The session's calls, once `count` of them are over. */
    calls: (count = 1) =>
      until("the calls are over", () => {
        const calls = demo.engine.calls(session);
        return calls.length >= count && calls.every((call) => /^(completed|errored)$/.test(call.status)) && calls;
      }),
    events: (type) => page.evaluate((kind) => globalThis.stage.events.filter((event) => event.type === kind), type),
    messages: () => JSON.stringify(demo.engine.messages(session)),
  };
  try {
    await work(stage);
    assertSettledOnce(await stage.calls());
    assert.deepEqual(page.trouble, []);
  } finally {
    await page.end();
    await demo.close();
  }
}

const label = (page, text) => page.locator("pagehand-ask").getByLabel(text, { exact: false }).first();

test("a destructive tool is asked about with its exact arguments, and no stray key allows it", () =>
  play(async ({ page, ran, send, dialog, calls }) => {
    await page.locator("#composer").focus();
    await send("pay");
    await dialog();
    assert.equal(await part(page, "title").textContent(), "Pay 7 to Ada");
    assert.deepEqual(await part(page, "argument-name").allTextContents(), ["sum", "to"]);
    assert.deepEqual(await part(page, "argument-value").allTextContents(), ["7", "Ada"]);
    assert.match(await part(page, "note").first().textContent(), /“pay”/, "the label is the tool's words: its name is there too");
    await accessible(page);
    await picture(page, "ask-approval");
    // Past the first moment, too: by the last of these a page sends what is typed in it.
    await page.waitForTimeout(500);
    for (const key of ["Enter", "Space", "y", "Control+Enter", "Meta+Enter"]) await page.keyboard.press(key);
    assert.equal(ran.length, 0);
    await part(page, "submit").click();
    const [call] = await calls();
    assert.equal(call.status, "completed");
    assert.deepEqual(ran, [["pay", { to: "Ada", sum: 7 }]]);
    assert.equal(await page.evaluate(() => document.activeElement.id), "composer");
  }));

test("what hides in the arguments is shown", () =>
  play(async ({ page, send, dialog, calls, ran }) => {
    await send("tricky");
    await dialog();
    assert.equal((await part(page, "argument-value").allTextContents())[1], "Ada\\u{202e}gnp.exe");
    assert.equal(await part(page, "title").textContent(), "Pay 7 to Ada\\u{202e}gnp.exe");
    await part(page, "cancel").click();
    await calls();
    assert.equal(ran.length, 0);
  }));

test("a no goes to the model with its reason, by the button and by Enter behind the reason", () =>
  play(async ({ page, ran, send, dialog, calls }) => {
    await send("pay");
    await dialog();
    await part(page, "reason").fill("too dear");
    await page.keyboard.press("Enter");
    const [call] = await calls();
    assert.match(JSON.stringify(call.error), /the user declined: too dear/);
    assert.equal(ran.length, 0);
    await send("pay");
    await dialog();
    await page.keyboard.press("Escape");
    const [, second] = await calls(2);
    assert.match(JSON.stringify(second.error), /the user declined/);
  }));

test("arguments may be changed where the tool says so: checked before they run, and the model is told", () =>
  play(async ({ page, ran, send, dialog, calls, messages, events }) => {
    await send("edit");
    await dialog();
    assert.equal(await label(page, "Sum").inputValue(), "7");
    await label(page, "Sum").fill("101");
    await accessible(page);
    await part(page, "submit").click();
    await part(page, "summary").waitFor();
    assert.deepEqual(await part(page, "link").allTextContents(), ["Sum: Must be at most 100."]);
    await label(page, "Sum").fill("5");
    await part(page, "submit").click();
    await calls();
    assert.deepEqual(ran, [["pay", { to: "Ada", sum: 5 }]]);
    assert.match(messages(), /The user changed the arguments before this ran/);
    await page.waitForFunction(() => globalThis.stage.events.some((event) => event.type === "agent.tool.called"));
    assert.deepEqual((await events("agent.tool.called"))[0].consent, { by: "user", allowed: true, edited: { from: { to: "Ada", sum: 7 } } });
  }));

for (const [sent, value] of [["more", "EVIL-1"], ["hidden", "Ada\\u{202e}gnp.exe"]]) {
  test(`what a form of arguments does not show is shown above it (${sent})`, () =>
    play(async ({ page, send, dialog, calls, ran }) => {
      await send(sent);
      await dialog();
      assert.ok((await part(page, "argument-value").allTextContents()).includes(value));
      assert.equal(await label(page, "Sum").inputValue(), "7");
      await part(page, "cancel").click();
      await calls();
      assert.equal(ran.length, 0);
    }));
}

test("whoever comes back to the page cannot allow in that very moment", () =>
  play(async ({ page, send, dialog, calls, ran }) => {
    await send("pay");
    await dialog();
    await page.waitForFunction(() => !document.querySelector("pagehand-ask").shadowRoot.querySelector("[part~=submit]").disabled);
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    assert.equal(await part(page, "submit").isDisabled(), true);
    await part(page, "submit").click();
    await calls();
    assert.equal(ran.length, 1);
  }));

test("a form of arguments that is not touched runs what the model wrote", () =>
  play(async ({ page, ran, send, dialog, calls, messages }) => {
    await send("edit");
    await dialog();
    await part(page, "submit").click();
    await calls();
    assert.deepEqual(ran, [["pay", { to: "Ada", sum: 7 }]]);
    assert.doesNotMatch(messages(), /changed the arguments/);
  }));

test("a yes that lasts names what it covers, and the next call is not asked about", () =>
  play(async ({ page, ran, send, dialog, calls }) => {
    await send("once");
    await dialog();
    assert.match(await part(page, "note").last().textContent(), /further calls of “once” for 10 minutes/);
    await part(page, "submit").click();
    await calls();
    await send("once");
    await calls(2);
    assert.equal(ran.length, 2);
    assert.equal(await page.locator("pagehand-ask").count(), 0);
  }));

test("a reload brings an open approval back, once, and it still decides", () =>
  play(async ({ page, ran, send, dialog, reload, calls }) => {
    await send("pay");
    await dialog();
    await reload();
    await dialog();
    assert.equal(await page.locator("pagehand-ask").count(), 1);
    assert.equal(await part(page, "title").textContent(), "Pay 7 to Ada");
    assert.equal(ran.length, 0);
    await part(page, "submit").click();
    const [call] = await calls();
    assert.equal(call.status, "completed");
    assert.equal(ran.length, 1);
    await reload();
    assert.equal(await page.evaluate(() => globalThis.stage.runtime.questions.size), 0);
  }));

test("a reload brings back what was changed in the arguments so far", () =>
  play(async ({ page, ran, send, dialog, reload, calls }) => {
    await send("edit");
    await dialog();
    await label(page, "Sum").fill("6");
    await reload();
    await dialog();
    assert.equal(await label(page, "Sum").inputValue(), "6");
    await part(page, "submit").click();
    await calls();
    assert.deepEqual(ran, [["pay", { to: "Ada", sum: 6 }]]);
    await page.waitForFunction(() => sessionStorage.getItem("pagehand drafts") === null);
  }));

test("a reload brings the form of a call that may run again back, with what was typed and without secrets", () =>
  play(async ({ page, ran, send, dialog, reload, calls }) => {
    await send("reads");
    await dialog();
    await label(page, "Name").fill("Ada Love");
    await label(page, "Pin").fill("1234");
    assert.doesNotMatch(await page.evaluate(() => JSON.stringify({ ...sessionStorage })), /1234/);
    await reload();
    await dialog();
    assert.equal(await page.locator("pagehand-ask").count(), 1);
    assert.equal(await label(page, "Name").inputValue(), "Ada Love");
    assert.equal(await label(page, "Pin").inputValue(), "");
    await label(page, "Name").fill("Ada Lovelace");
    await part(page, "submit").click();
    const [call] = await calls();
    assert.equal(call.rendered, '{"name":"Ada Lovelace"}');
    assert.equal(ran.length, 2);
    await page.waitForFunction(() => sessionStorage.getItem("pagehand drafts") === null);
  }));

test("a module that traps leaves no question behind that nobody waits for", () =>
  play(async ({ page, ran, send, dialog, calls }) => {
    await send("pay");
    await dialog();
    await page.evaluate(() => globalThis.stage.runtime[Symbol.for("pagehand.trap")](true));
    await until("it is asked anew", async () => (await page.evaluate(() => globalThis.stage.events.filter((event) => event.state === "asked").length)) === 2);
    await dialog();
    assert.equal(await page.evaluate(() => globalThis.stage.runtime.questions.size), 1);
    await part(page, "submit").click();
    await calls();
    assert.equal(ran.length, 1);
    assert.equal(await page.locator("pagehand-ask").count(), 0);
    page.trouble.length = 0;
  }));

test("a call that may not run again ends as interrupted when the page reloads under its question", () =>
  play(async ({ page, ran, send, dialog, reload, calls }) => {
    await send("acts");
    await dialog();
    await reload();
    const [call] = await calls();
    assert.match(JSON.stringify(call.error), /interrupted/);
    assert.equal(ran.length, 1);
    assert.equal(await page.locator("pagehand-ask").count(), 0);
  }));

test("the call's clock stands still while the person thinks, and a message typed instead takes the question away", () =>
  play(async ({ page, send, dialog, calls, events }) => {
    await send("acts");
    await dialog();
    await new Promise((resolve) => setTimeout(resolve, 700));
    await part(page, "submit").click();
    await page.waitForFunction(() => document.querySelector("pagehand-ask")?.shadowRoot.querySelector("h2").textContent === "Who are you?");
    await label(page, "Name").fill("Ada");
    await part(page, "submit").click();
    const [call] = await calls();
    assert.equal(call.rendered, '{"name":"Ada"}');
    assert.deepEqual((await events("question")).map((event) => `${event.kind} ${event.state}`), ["confirm asked", "confirm answered", "form asked", "form answered"]);
    await send("pay");
    await dialog();
    await send("never mind");
    await page.waitForFunction(() => document.querySelector("pagehand-ask") === null);
    await calls(2);
  }));
