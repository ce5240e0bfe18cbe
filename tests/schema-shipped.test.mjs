/**
 * The official JSON Schema test suite against the schema file as it ships, where JavaScript's own regular
 * expressions stand in for those of the Rust crates. Nothing is fetched there: a schema that refers to one of
 * the suite's remote documents must be refused by name, and the number of those is as exact as the rest.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import init, { RawSchema } from "../pkg/wasm/schema.js";

const read = (path) => readFileSync(new URL(path, import.meta.url));
await init({ module_or_path: read("../pkg/wasm/schema_bg.wasm") });

/** Tests that pass, and tests whose schema leads to a document that is not at hand. */
const drafts = {
  draft4: { judged: 593, remote: 17 },
  draft6: { judged: 806, remote: 23 },
  draft7: { judged: 890, remote: 23 },
  "draft2019-09": { judged: 1191, remote: 36 },
  "draft2020-12": { judged: 1208, remote: 49 },
};

function compile(schema, draft) {
  try {
    return RawSchema.compile(JSON.stringify(schema), draft);
  } catch (error) {
    if (/"http:\/\/localhost:1234\/[^"]*" (leads out of the schema|is not a known draft)/.test(error.message)) return null;
    throw error;
  }
}

for (const [draft, expected] of Object.entries(drafts)) {
  test(`every required test of ${draft} passes in the file that ships, and remote documents are refused by name`, () => {
    const count = { judged: 0, remote: 0 };
    const wrong = [];
    for (const [file, groups] of Object.entries(JSON.parse(read(`fixtures/json-schema-suite/${draft}.json`)))) {
      for (const group of groups) {
        const schema = compile(group.schema, draft);
        for (const one of group.tests) {
          if (!schema) count.remote += 1;
          else if ((schema.checkText(JSON.stringify(one.data)) === "[]") === one.valid) count.judged += 1;
          else wrong.push(`${file}: ${group.description}: ${one.description}`);
        }
        schema?.free();
      }
    }
    assert.deepEqual(wrong, []);
    assert.deepEqual(count, expected);
  });
}

test("patterns are those of JavaScript, and a bad one is an error that names it", () => {
  const issues = (pattern, text) => {
    const schema = RawSchema.compile(JSON.stringify({ pattern }), undefined);
    const found = JSON.parse(schema.checkText(JSON.stringify(text)));
    schema.free();
    return found.length;
  };
  for (const [pattern, fits, fails] of [
    ["^[\\w.-]+@[\\w-]+$", "a.b@c", "a b@c"],
    ["^\\d{5}(?=-)", "12345-", "12345"],
    ["^(?<!x)a", "a", "b"],
    ["^(a|b)\\1$", "aa", "ab"],
    ["^\\p{Lu}", "É", "é"],
    ["^[\\u{1F600}-\\u{1F64F}]$", "😀", "a"],
    ["^.$", "😀", "\n"],
    ["\\-\\@\\/", "-@/", "-/"],
    ["^\\S+$", "ab", "a\ufeffb"],
    ["^[&&|~]$", "&", "a"],
  ]) {
    assert.equal(issues(pattern, fits), 0, `${pattern} takes ${fits}`);
    assert.equal(issues(pattern, fails), 1, `${pattern} refuses ${fails}`);
  }
  for (const pattern of ["[", "(", "a**", "(?<n>a)(?<n>b)"]) {
    assert.throws(() => RawSchema.compile(JSON.stringify({ pattern }), undefined), /is not a valid regular expression/, pattern);
  }
});

test("what the stand-ins decide is judged as by the crates they stand in for", () => {
  const text = read("fixtures/schema-stand-ins.json").toString();
  // As written: JSON.parse would round the numbers. Each case is one line of the table.
  const cases = text.split("\n").map((line) => /^ *\{ "draft": "(.*?)", "schema": (.*), "valid": \[(.*)\], "invalid": \[(.*)\] \},?$/.exec(line)).filter(Boolean);
  const table = JSON.parse(text);
  assert.equal(cases.length, table.judged.length);
  for (const [, draft, schema, valid, invalid] of cases) {
    const compiled = RawSchema.compile(schema, draft);
    for (const [texts, wanted] of [[valid, true], [invalid, false]]) {
      for (const one of elements(texts)) assert.equal(compiled.checkText(one) === "[]", wanted, `${one} of ${schema}`);
    }
    compiled.free();
  }
  for (const pattern of table.refused) {
    assert.throws(() => RawSchema.compile(JSON.stringify({ pattern }), undefined), /is not a valid regular expression/, pattern);
  }
});

/** The texts of a list's elements: numbers as they stand, all else as JSON writes it. */
function elements(list) {
  const parsed = JSON.parse(`[${list}]`);
  const numbers = list.split(", ");
  return parsed.map((value, index) => (typeof value === "number" ? numbers[index] : JSON.stringify(value)));
}
