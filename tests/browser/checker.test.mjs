/** The two checkers in Chromium: they say the same, and what tools use of JSON Schema loads the small one alone. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { serveFolder } from "./folder.mjs";
import { startBrowser } from "./helpers.mjs";

let browser;
let server;

before(async () => {
  server = await serveFolder(fileURLToPath(new URL("../../", import.meta.url)));
  browser = await startBrowser();
});

after(async () => {
  await browser?.close();
  await server?.close();
});

/** A page of the comparison, and the WASM files it has asked for. */
async function open() {
  const page = await browser.page();
  const files = [];
  page.on("request", (request) => /[^/]+\.wasm$/.test(request.url()) && files.push(request.url().split("/").at(-1)));
  await page.goto(`${server.url}tests/checker/page.html`);
  await page.waitForFunction(() => globalThis.ready);
  return { page, files };
}

test("both say the same of the official suite, of real tools' schemas and of random ones", async () => {
  const { page } = await open();
  const { drafts, tools, random } = await page.evaluate(() => globalThis.compare());
  for (const found of [...drafts, tools, random]) assert.deepEqual(found.differences, []);
  assert.deepEqual(drafts.map(({ right, wrong }) => right + wrong), [364, 456, 475]);
  assert.deepEqual([tools.taken, tools.left], [40, 0]);
  assert.ok(random.taken > 100 && random.right > 50 && random.wrong > 50, JSON.stringify(random));
  await page.end();
});

test("forty real tools are checked, right calls and wrong ones, and the schema file is never asked for", async () => {
  const { page, files } = await open();
  const ends = await page.evaluate(() => globalThis.runTools());
  assert.deepEqual(ends.other, []);
  assert.ok(ends.done > 50 && ends.refused > 50, JSON.stringify(ends));
  assert.deepEqual(files.sort(), ["checker_bg.wasm", "runtime_bg.wasm"]);
  assert.deepEqual(page.trouble, []);
  await page.end();
});

test("without the checker file the schema file has the word, and without either nothing runs unchecked", async () => {
  const { page, files } = await open();
  await page.route("**/checker_bg.wasm", (route) => route.abort());
  const ends = await page.evaluate(() => globalThis.runTools());
  assert.deepEqual(ends.other, []);
  assert.ok(ends.done > 50 && ends.refused > 50, JSON.stringify(ends));
  assert.ok(files.includes("schema_bg.wasm"));
  await page.end();

  const { page: bare } = await open();
  await bare.route(/\/(checker|schema)_bg\.wasm$/, (route) => route.abort());
  const none = await bare.evaluate(() => globalThis.runTools());
  assert.deepEqual([none.done, none.refused], [0, 0]);
  assert.ok(none.other.length > 100 && none.other.every((end) => /could not be loaded/.test(end)), none.other[0]);
  await bare.end();
});
