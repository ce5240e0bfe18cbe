/**
 * A stage for tests of the browser tools: a page under the strict policy that runs one tool at a time, in a Chromium
 * whose camera is made up. Each context has the permissions that a test gives it.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startChromium } from "../../../scripts/lib/chromium.mjs";
import { serveFolder } from "../folder.mjs";

const pkg = fileURLToPath(new URL("../../../pkg", import.meta.url));

// `ends` holds how each call ended; images are told by their kind, size and first bytes.
const script = `
import { browserTools, missingBrowserTools } from "/pkg/browser-tools.js";
const told = async (value) => {
  if (value instanceof Blob) { const image = await createImageBitmap(value); return { type: value.type, size: value.size, width: image.width, height: image.height }; }
  if (Array.isArray(value)) return Promise.all(value.map(told));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(await Promise.all(Object.entries(value).filter(([, one]) => one !== undefined).map(async ([key, one]) => [key, await told(one)])));
};
globalThis.ends = [];
globalThis.aborts = [];
globalThis.start = (name, input, options) => {
  const [made] = browserTools({ only: [name], ...options });
  const at = ends.length;
  ends.push(undefined);
  const abort = new AbortController();
  aborts.push(abort);
  made.invoke(input, { signal: abort.signal }).then(async ({ data, error, report }) => {
    ends[at] = error ? { code: error.code, message: error.message, ...(error.cause?.reason && { reason: error.cause.reason }) } : { data: await told(data), checks: report.checks };
  });
};
const inactive = { isActive: false, hasBeenActive: true };
// What a test does counts as a gesture; most tests want none.
globalThis.quiet = () => Object.defineProperty(navigator, "userActivation", { configurable: true, value: inactive });
Object.assign(globalThis, { browserTools, missingBrowserTools, ready: true });
`;

// A runtime with the bundled engine, whose model calls one tool; `said` is what the engine has of that call.
const runtime = `
import { createRuntime, tool } from "/pkg/index.js";
import { createTestEngine } from "/pkg/testing.js";
globalThis.say = async (name, args, options, timeout) => {
  const engine = await createTestEngine({ script: { replies: [{ call: [{ name, arguments: args, id: "call_1" }] }], otherwise: { say: "Done." } } });
  const [made] = browserTools({ only: [name], ...options });
  const { invoke, on, ...config } = made;
  const own = await createRuntime({ engine: engine.url, fetch: engine.fetch, agent: "tester", token: () => engine.token(), tools: [timeout ? tool({ ...config, timeout }) : made] });
  const questions = [];
  own.on("question", ({ kind, state }) => questions.push([kind, state]));
  await own.send("go").finished;
  const call = engine.calls(own.sessionId)[0];
  globalThis.said = { status: call.status, body: JSON.stringify([call, engine.messages(own.sessionId)]), questions };
};
`;
const html = (more = "") => `<!doctype html><html lang="en"><meta charset="utf-8"><title>Stage</title><script type="module" src="/page.js"></script>${more}
<body><main><h1>Stage</h1><input id="composer" aria-label="Message"></main></body></html>`;

/** As other browser tests have them: no background traffic. */
const quietFlags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** Starts a server and a browser; `flags` are Chromium's. */
export async function startStage(flags = []) {
  const folder = mkdtempSync(join(tmpdir(), "pagehand-browser-tools-"));
  symlinkSync(pkg, join(folder, "pkg"));
  writeFileSync(join(folder, "page.js"), script);
  writeFileSync(join(folder, "runtime.js"), runtime);
  writeFileSync(join(folder, "index.html"), html());
  writeFileSync(join(folder, "runtime.html"), html('<script type="module" src="/runtime.js"></script>'));
  const server = await serveFolder(folder);
  const chromium = await startChromium({ viewport: null, args: [...quietFlags, "--use-fake-device-for-media-stream", ...flags] });
  const browser = chromium.context.browser();
  return {
    url: server.url,
    /** Opens a page; `gesture: true` leaves it with the gestures that a test makes, `runtime.html` has a runtime. */
    async open({ gesture = false, before, file = "index.html", ...options } = {}) {
      const own = await browser.newContext({ viewport: { width: 1_000, height: 700 }, ...options });
      const page = await own.newPage();
      page.setDefaultTimeout(15_000);
      const trouble = [];
      page.on("pageerror", (error) => trouble.push(`error: ${error.message}`));
      page.on("console", (message) => message.type() === "error" && trouble.push(`console: ${message.text()}`));
      if (before) await page.addInitScript(before);
      await page.goto(server.url + file);
      await page.waitForFunction((whole) => globalThis.ready && (!whole || globalThis.say), file === "runtime.html");
      if (!gesture) await page.evaluate(() => globalThis.quiet());
      return Object.assign(page, { trouble, end: () => own.close() });
    },
    async close() {
      await chromium.close();
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a call. */
export const start = (page, name, input = {}, options = {}) => page.evaluate((call) => globalThis.start(...call), [name, input, options]);

/** How the n-th call ended. */
export async function end(page, index = 0) {
  await page.waitForFunction((at) => globalThis.ends[at] !== undefined, index);
  return page.evaluate((at) => globalThis.ends[at], index);
}

/** Starts a call and waits for its end. */
export async function run(page, name, input, options) {
  const index = await page.evaluate(() => globalThis.ends.length);
  await start(page, name, input, options);
  return end(page, index);
}

/** The data of a call that must have gone well, and fitted its schema. */
export async function dataOf(ended) {
  const { data, ...rest } = await ended;
  assert.deepEqual(rest, { checks: { input: "valid", issues: [] } });
  return data;
}

/** A part of the question, or of the camera's view. */
export const asked = (page, part) => page.locator(`pagehand-ask [part~="${part}"]`);
export const camera = (page, part) => page.locator(`pagehand-camera [part~="${part}"]`);

/** Nothing of any dialog is left, and nothing went wrong in the page. */
export async function clean(page) {
  assert.equal(await page.locator("pagehand-ask, pagehand-camera").count(), 0);
  assert.deepEqual(page.trouble, []);
  await page.end();
}
