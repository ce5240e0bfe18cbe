/**
 * The checker file as it ships, with JavaScript's own regular expressions and doubles, against the schema file: on the
 * official suite, on schemas of forty real tools, and on random ones. The counts of the suite are exact, and a few more
 * than in Rust: JavaScript writes a count of `2.0` as `2`, which is taken.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import initChecker, { RawSmall } from "../pkg/wasm/checker.js";
import initSchema, { RawSchema } from "../pkg/wasm/schema.js";
import { compareRandom, compareSuite, compareTools } from "./checker/compare.js";

const read = (path) => readFileSync(new URL(path, import.meta.url));
await initChecker({ module_or_path: read("../pkg/wasm/checker_bg.wasm") });
await initSchema({ module_or_path: read("../pkg/wasm/schema_bg.wasm") });
const glue = { RawSmall, RawSchema };

for (const [draft, tests] of Object.entries({ draft7: 364, "draft2019-09": 456, "draft2020-12": 475 })) {
  test(`on ${draft} of the official suite both say the same, and what the suite says`, () => {
    const found = compareSuite(glue, draft, JSON.parse(read(`fixtures/json-schema-suite/${draft}.json`)));
    assert.deepEqual(found.differences, []);
    assert.equal(found.right + found.wrong, tests, "tests whose schema is taken");
  });
}

test("all forty schemas of real tools are taken, and both say the same of right and broken values", () => {
  const found = compareTools(glue, read("fixtures/tool-schemas.jsonl").toString(), 60);
  assert.deepEqual(found.differences, []);
  assert.deepEqual([found.taken, found.left], [40, 0]);
  assert.ok(found.right > 200 && found.wrong > 200, `${found.right} right, ${found.wrong} wrong`);
});

test("both say the same by random schemas", () => {
  const found = compareRandom(glue, 600);
  assert.deepEqual(found.differences, []);
  assert.ok(found.taken > 300 && found.right > 200 && found.wrong > 200, `${found.taken} taken, ${found.right} right, ${found.wrong} wrong`);
});

test("the deepest value by the longest chain of alternatives is checked on the stack of a page", () => {
  let schema = { $ref: "#" };
  for (let level = 0; level < 3; level += 1) schema = { anyOf: [schema] };
  const small = RawSmall.compile(JSON.stringify({ properties: { a: schema }, additionalProperties: { type: "null" } }), false);
  const deep = (inner) => '{"a":'.repeat(127) + inner + "}".repeat(127);
  assert.equal(small.checkText(deep("{}")), "[]");
  assert.equal(JSON.parse(small.checkText(deep('{"b":1}'))).length, 1);
  small.free();
});

test("a pattern that is none by the rules of `u` is left to the schema file, and nothing throws", () => {
  for (const pattern of ["(", "[", "a**", "\\-", "\\_"]) assert.equal(RawSmall.compile(JSON.stringify({ pattern }), false), undefined, pattern);
});
