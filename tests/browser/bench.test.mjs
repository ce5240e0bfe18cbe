/**
 * The benchmark measures what it says: a small run of every part, whose figures nobody judges. Contenders that answer
 * wrongly fail by themselves; here it is asked whether every figure is there and can be a figure.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startLab } from "../../scripts/bench/lab.mjs";
import { measurePage } from "../../scripts/bench/page.mjs";
import { between, markdown, table } from "../../scripts/bench/report.mjs";
import { parts } from "../../scripts/bench/suite.mjs";
import { startBrowser, variants, withDemo } from "./helpers.mjs";

let lab;

before(async () => {
  lab = await startLab();
});

after(() => lab?.close());

/** Figures that must be there, whatever the machine. */
const wanted = {
  sse: ["sse-count-16384-chromium", "sse-tools-16384-chromium", "sse-tools-64-chromium", "sse-objects-16384-chromium", "sse-count-16384-node"],
  schema: ["schema-compile-typical-chromium", "schema-check-valid-nested-chromium", "schema-compile-typical-node"],
  cold: ["cold-start", "first-load"],
  calls: ["round-trip", "in-flight", "flat", "memory-wasm", "memory-heap"],
  runs: ["over-bare"],
  deltas: ["longest-task", "delta-rate"],
  page: ["page-reading"],
};

/** What may be nothing at all, or less: what is left over after something. */
const leftOver = ["memory-wasm", "memory-heap", "over-bare"];

for (const [name, { title, measure, quick }] of Object.entries(parts)) {
  test(`the ${name} part gives its figures, ours beside others`, async () => {
    const figures = await measure(lab, quick);
    for (const id of wanted[name]) assert.ok(figures.some((figure) => figure.id === id), `${id} is missing`);
    for (const figure of figures) {
      assert.ok(figure.rows.some((row) => row.ours), `${figure.id} has nothing of ours`);
      assert.ok(figure.rows.length > 1, `${figure.id} has nobody beside ours`);
      for (const { name: who, value } of figure.rows) assert.ok(Number.isFinite(value) && (value > 0 || leftOver.includes(figure.id)), `${figure.id}, ${who}: ${value}`);
      if (figure.aim) assert.ok(Number.isFinite(figure.aim.value) && typeof figure.aim.met === "boolean", figure.id);
    }
    const found = { parts: { [name]: { title, figures } } };
    for (const figure of figures) assert.ok(table(found.parts[name]).includes(figure.title));
    const text = between(`a\n<!-- bench: ${name} -->\nwhat was there\n<!-- bench: ${name} end -->\nz`, found);
    assert.ok(text.includes(markdown(found.parts[name])) && text.startsWith("a\n") && text.endsWith("\nz") && !text.includes("what was there"), text);
  });
}

test("the page's benchmark reads and walks the same page", async () => {
  const found = await measurePage({ rows: 50, rounds: 2 });
  assert.equal(found.elements, 4 * 50 + 1, "a list and its rows");
  for (const key of ["readMs", "walkMs", "ratio"]) assert.ok(found[key] > 0, `${key}: ${found[key]}`);
});

test("the page of charts draws every figure, in light and dark, under the demo's policy", async () => {
  const figure = { id: "f", title: "A <b>figure</b>", where: "chromium", unit: "ms", better: "less", rows: [{ name: "ours", ours: true, value: 2 }, { name: "theirs", ours: false, value: 1 }], aim: { text: "≤ 1 ms", value: 2, met: false }, notes: ["a note"] };
  const figures = { when: "2026-09-03T10:00:00Z", machine: { browser: "Chromium 1", node: "v20", cores: 2, cpu: "one" }, parts: { one: { title: "A part", figures: [figure, { ...figure, aim: null }] } } };
  const intercept = (request, response) => request.url === "/bench.json" && Boolean(response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(figures)));
  const browser = await startBrowser();
  await withDemo({ intercept }, async (demo) => {
    for (const { name: _, ...look } of variants) {
      const page = await browser.page(look);
      await page.goto(`${demo.url}bench.html`);
      await page.waitForFunction(() => document.body.dataset.ready);
      assert.deepEqual(page.trouble, []);
      assert.equal(await page.locator("svg rect").count(), 4);
      assert.equal(await page.locator("h3").first().textContent(), "A <b>figure</b>");
      const [ours, theirs] = await page.locator("svg").first().locator("rect").evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
      assert.ok(Math.abs(ours / theirs - 2) < 0.01, `${ours} beside ${theirs}`);
      const [ink, surface] = await page.evaluate(() => [getComputedStyle(document.querySelector(".figure text")).fill, getComputedStyle(document.querySelector(".figure")).backgroundColor]);
      assert.notEqual(ink, surface);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, "nothing sticks out");
      await page.end();
    }
  });
  await browser.close();
});
