/** Each row of `docs/tool-contract.md` names a test that is there: the document cannot promise what nobody checks. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const root = new URL("..", import.meta.url);
const text = readFileSync(new URL("docs/tool-contract.md", root), "utf8");
const rows = text.split("\n").filter((line) => line.startsWith("| ") && line.includes("`tests/"));

test("each feature of the contract names a test that is there", () => {
  assert.ok(rows.length > 50, `${rows.length} rows`);
  for (const row of rows) {
    const [, file, title] = /`(tests\/[^`]+)` (.+?) \|$/.exec(row) ?? [];
    assert.ok(file, `no test in: ${row}`);
    const source = readFileSync(new URL(file, root), "utf8");
    assert.ok(source.includes(title), `${file} has nothing named "${title}"`);
  }
});

test("no feature is named twice", () => {
  const features = rows.map((row) => row.split(" | ")[0]);
  assert.equal(new Set(features).size, features.length);
});
