/** Page tools behind an engine: a call that ends the page is answered once, before it goes, and the next page goes on. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo } from "../../../www/server.mjs";
import { assertSettledOnce, startBrowser } from "../helpers.mjs";

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.close());

const html = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Stage</title><link rel="icon" href="data:,"><a id="link" href="/second.html">Second</a><script type="module" src="/stage.js"></script>';
const script = `
import { createRuntime } from "/pkg/index.js";
import { pageTools } from "/pkg/page.js";
const token = async () => (await (await fetch("/demo/token", { method: "POST" })).json()).token;
const runtime = await createRuntime({ engine: location.origin, agent: "tester", token, tools: await pageTools({ approve: "never" }) });
globalThis.heard = [];
runtime.on("tool.finished", (event) => globalThis.heard.push(event));
runtime.attach();
document.getElementById("link").focus();
globalThis.runtime = runtime;
`;
const rules = [
  { when: { after: "*" }, say: "It is done." },
  { when: { user: "look" }, call: [{ name: "read_page" }] },
  { when: { user: "link" }, call: [{ name: "press", arguments: { key: "Enter" } }] },
  { when: { user: "navigate" }, call: [{ name: "navigate", arguments: { to: "/second.html" } }] },
  { when: { user: "wrong" }, call: [{ name: "click", arguments: { ref: "bkt1", force: true } }] },
];

async function play(work) {
  const loads = [];
  const intercept = (request, response) => {
    const { pathname } = new URL(request.url, "http://page");
    const page = /^\/(first|second)\.html$/.test(pathname);
    if (page) loads.push(pathname);
    if (!page && pathname !== "/stage.js") return false;
    response.writeHead(200, { "content-type": page ? "text/html" : "text/javascript" }).end(page ? html : script);
    return true;
  };
  const demo = await startDemo({ intercept, config: { script: { rules } } });
  const page = await browser.page();
  await page.goto(`${demo.url}first.html`);
  await page.waitForFunction(() => globalThis.runtime);
  const session = await page.evaluate(() => globalThis.runtime.sessionId);
  const settled = async () => {
    for (let look = 0; look < 200; look += 1) {
      const calls = demo.engine.calls(session);
      if (calls.length && calls.every((call) => /^(completed|errored)$/.test(call.status))) return calls;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`calls are open: ${JSON.stringify(demo.engine.calls(session))}`);
  };
  try {
    await work({ page, session, loads, settled });
  } finally {
    await page.end();
    await demo.close();
  }
}

const send = (page, text) => page.evaluate((words) => void globalThis.runtime.send(words), text);

test("a snapshot reaches the model with its warning first", () =>
  play(async ({ page, settled }) => {
    await send(page, "look");
    const calls = await settled();
    assertSettledOnce(calls);
    assert.match(JSON.stringify(calls[0].result), /^"?(\{.*)?"?Untrusted page content: .*link \\"Second\\" focused/);
  }));

test("arguments that the schema does not know never reach the page", () =>
  play(async ({ page, settled }) => {
    await send(page, "wrong");
    const [call] = await settled();
    assert.equal(call.status, "errored");
    assert.match(JSON.stringify(call.error), /invalid tool arguments/);
  }));

for (const words of ["link", "navigate"]) {
  test(`a call that leads to another page (${words}) is answered once, and the page is loaded once`, () =>
    play(async ({ page, session, loads, settled }) => {
      await send(page, words);
      await page.waitForURL("**/second.html");
      await page.waitForFunction(() => globalThis.runtime);
      const calls = await settled();
      assert.equal(calls.length, 1);
      assert.equal(calls[0].status, "completed");
      assertSettledOnce(calls);
      assert.equal(await page.evaluate(() => globalThis.runtime.sessionId), session);
      await new Promise((resolve) => setTimeout(resolve, 500));
      assert.deepEqual(loads, ["/first.html", "/second.html"]);
    }));
}
