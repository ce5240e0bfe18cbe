/** The benchmark measures what it says: a small round of it, whose figures nobody judges. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { measurePage } from "../../scripts/bench/page.mjs";

test("the page's benchmark reads and walks the same page", async () => {
  const found = await measurePage({ rows: 50, rounds: 2 });
  assert.equal(found.elements, 4 * 50 + 1, "a list and its rows");
  for (const key of ["readMs", "walkMs", "ratio"]) assert.ok(found[key] > 0, `${key}: ${found[key]}`);
});
