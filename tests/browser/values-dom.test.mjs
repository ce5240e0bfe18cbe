/** The table of results, where it needs a page: through the function and through whole calls, in Chromium. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { DOM } from "../values/dom.js";
import { serveFolder } from "./folder.mjs";
import { startBrowser } from "./helpers.mjs";

let browser;
let server;
let outcome;

before(async () => {
  server = await serveFolder(fileURLToPath(new URL("../../", import.meta.url)));
  browser = await startBrowser();
  const page = await browser.page();
  await page.goto(`${server.url}tests/values/page.html`);
  await page.waitForFunction(() => globalThis.outcome);
  outcome = await page.evaluate(() => globalThis.outcome);
  assert.equal(outcome.failed, undefined);
});

after(async () => {
  await browser?.close();
  await server?.close();
});

for (const [index, one] of DOM.entries()) {
  test(`${one.row}: ${one.name}`, () => {
    const made = outcome.made[index];
    const call = outcome.calls.find((call) => call.id === `call_${index}`);
    assert.equal(call.settlements.filter((settlement) => settlement.accepted).length, 1);
    if (one.error) {
      assert.equal(made.error, one.error);
      assert.equal(call.status, "errored");
      assert.equal(call.rendered, one.error);
      return;
    }
    assert.equal(made.json, one.json);
    assert.equal(call.status, "completed");
    const text = JSON.parse(one.json);
    if (typeof text === "string") assert.equal(call.rendered, text);
    else assert.deepEqual(JSON.parse(call.rendered), text);
    if (!one.image) return;
    const block = call.settlements[0].body.result.content[1];
    assert.equal(block.mimeType, "image/png");
    assert.match(Buffer.from(block.data, "base64").toString("latin1"), /^\x89PNG\r\n/);
  });
}
