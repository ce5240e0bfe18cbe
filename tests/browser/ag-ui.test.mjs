/** A page over AG-UI in a real browser: what it loads, streams, aborts, and how a reload goes on. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { startDemo } from "../../www/server.mjs";
import { startBrowser } from "./helpers.mjs";
import { until } from "./life/stage.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; require-trusted-types-for 'script'; trusted-types 'none'";
const html = '<!doctype html><html lang="en"><meta charset="utf-8"><title>AG-UI</title><script type="module" src="/ag-ui.js"></script>';

/** The page's script. What ran is noted at the server, which survives the page and may hold a tool. */
const script = (entry) => `
  import { createRuntime, tool } from ${JSON.stringify(entry)};
  const token = async () => (await (await fetch("/demo/token", { method: "POST" })).json()).token;
  const ran = (name) => fetch("/ran/" + name, { method: "POST" });
  const runtime = await createRuntime({
    engine: location.origin + "/api/channels/ag-ui/agents/tester/run",
    transport: "ag-ui",
    token,
    tools: [
      tool({ name: "reads", annotations: { readOnly: true }, execute: async () => (await ran("reads"), "read") }),
      tool({ name: "acts", execute: async () => (await ran("acts"), "acted") }),
    ],
    tuning: { backoffBase: 100, backoffMax: 400 },
  });
  runtime.attach();
  globalThis.stage = { runtime };
`;

const rules = [
  { when: { after: "*" }, say: "Done." },
  ...["reads", "acts"].map((name) => ({ when: { user: name }, call: [{ name }] })),
  { when: { user: "long" }, say: "word ".repeat(4_000) },
];

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.close());

/** Runs `work` with a page on a server of its own. */
async function play(work, files = {}) {
  const ran = [];
  const held = new Map();
  const served = { "/ag-ui.html": ["text/html", html], "/ag-ui.js": ["text/javascript", script("/pkg/index.js")], ...files };
  const intercept = (request, response) => {
    const { pathname } = new URL(request.url, "http://page");
    if (pathname.startsWith("/ran/")) {
      const name = pathname.slice(5);
      ran.push(name);
      if (held.has(name)) held.get(name).push(response);
      else response.end();
      return true;
    }
    if (pathname.startsWith("/api/channels/")) {
      void demo.engine.handle(request, response);
      return true;
    }
    if (pathname === "/favicon.ico") {
      response.writeHead(204).end();
      return true;
    }
    if (!served[pathname]) return false;
    const [type, body] = served[pathname];
    response.writeHead(200, { "content-type": type, "content-security-policy": policy }).end(body);
    return true;
  };
  const demo = await startDemo({ intercept, config: { deltaIntervalMs: 5, script: { rules } } });
  const page = await browser.page();
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const ready = () => page.waitForFunction(() => globalThis.stage);
  const send = (text) => page.evaluate(async (words) => (({ status, text: said, error }) => ({ status, said, ...(error && { error }) }))(await globalThis.stage.runtime.send(words).finished), text);
  try {
    await page.goto(`${demo.url}ag-ui.html`);
    await ready();
    return await work({ demo, page, asked, ran, ready, send, hold: (name) => held.set(name, []), free: (name) => held.delete(name) });
  } finally {
    await page.end();
    await demo.close();
  }
}

test("a page under a strict policy streams a turn, runs its tool, and loads AG-UI's file alone", () =>
  play(async ({ demo, page, asked, ran, send }) => {
    assert.deepEqual(await send("acts"), { status: "completed", said: "Done." });
    assert.deepEqual(ran, ["acts"]);
    const files = asked.filter((path) => path.endsWith(".wasm"));
    assert.deepEqual(files, ["/pkg/wasm/ag_ui_bg.wasm"]);
    const session = await page.evaluate(() => globalThis.stage.runtime.sessionId);
    assert.deepEqual(demo.engine.calls(session).map((call) => [call.rendered, call.settlements.filter((one) => one.accepted).length]), [["acted", 1]]);
    assert.deepEqual(page.trouble, []);
  }));

test("a reload goes on with the conversation: a call that was running runs again where it may, else it is answered as interrupted", () =>
  play(async ({ demo, page, ran, ready, send, hold, free }) => {
    const session = await page.evaluate(() => globalThis.stage.runtime.sessionId);
    for (const [name, outcome] of [["reads", /^read$/], ["acts", /interrupted/]]) {
      hold(name);
      await page.evaluate((words) => void globalThis.stage.runtime.send(words), name);
      await until(`${name} runs`, () => ran.includes(name));
      // What runs after the reload is not held.
      free(name);
      await page.reload();
      await ready();
      assert.equal(await page.evaluate(() => globalThis.stage.runtime.sessionId), session);
      const call = await until(`${name} is over`, () => demo.engine.calls(session).find((one) => one.name === name && one.rendered !== null), 20_000);
      assert.match(call.rendered, outcome);
      assert.equal(call.settlements.filter((one) => one.accepted).length, 1);
      await until("the turn is over", () => demo.engine.messages(session).at(-1)?.content === "Done.");
    }
    assert.deepEqual(await send("acts again").then(({ status }) => status), "completed");
    assert.deepEqual(page.trouble, []);
  }));

test("calling a turn off aborts its request", () =>
  play(async ({ page }) => {
    const failed = [];
    page.on("requestfailed", (request) => failed.push(new URL(request.url()).pathname));
    const outcome = await page.evaluate(async () => {
      const turn = globalThis.stage.runtime.send("long");
      while (turn.text === "") await new Promise((resolve) => setTimeout(resolve, 5));
      turn.cancel("enough");
      const { status, error } = await turn.finished;
      return [status, error.code];
    });
    assert.deepEqual(outcome, ["cancelled", "cancelled"]);
    await until("the request is aborted", () => failed.includes("/api/channels/ag-ui/agents/tester/run"));
  }));

test("a Vite build emits AG-UI's file once, and the result runs", async () => {
  const app = mkdtempSync(join(tmpdir(), "pagehand-ag-ui-"));
  try {
    writeFileSync(join(app, "main.js"), script(join(root, "pkg", "index.js")));
    writeFileSync(join(app, "index.html"), html.replace("/ag-ui.js", "/main.js"));
    await build({ root: app, configFile: false, logLevel: "error", build: { assetsInlineLimit: 0 } });
    const built = readdirSync(join(app, "dist"), { recursive: true, encoding: "utf8" });
    assert.equal(built.filter((file) => /ag_ui.*\.wasm$/.test(file)).length, 1, built.join(", "));
    const types = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };
    const files = Object.fromEntries(built.filter((file) => /\.\w+$/.test(file)).map((file) => [`/${file}`, [types[/\.\w+$/.exec(file)[0]] ?? "text/plain", readFileSync(join(app, "dist", file))]]));
    files["/ag-ui.html"] = files["/index.html"];
    await play(async ({ asked, send }) => {
      assert.deepEqual(await send("reads"), { status: "completed", said: "Done." });
      assert.equal(asked.filter((path) => /\.wasm$/.test(path)).length, 1);
    }, files);
  } finally {
    rmSync(app, { recursive: true, force: true });
  }
});
