/** Reduced schemas hold nothing that browsers refuse, and refuse nothing that the full ones take. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compile } from "pagehand/schema";
import { reduced } from "../../src/js/webmcp/reduce.ts";
import { refusedKeyword } from "./model-context.ts";

const fixture = (name: string) => readFileSync(new URL(`../fixtures/${name}`, import.meta.url), "utf8");

interface Group {
  schema: unknown;
  tests: { data: unknown; valid: boolean }[];
}

it.each<[string, string, number]>([
  ["draft2020-12", "https://json-schema.org/draft/2020-12/schema", 500],
  ["draft7", "http://json-schema.org/draft-07/schema#", 400],
  ["draft4", "http://json-schema.org/draft-04/schema#", 250],
])("what a schema of the official suite takes, its reduced form takes: %s", async (name, $schema, least) => {
  const groups = (Object.values(JSON.parse(fixture(`json-schema-suite/${name}.json`))) as unknown[]).flat(2) as Group[];
  let checked = 0;
  for (const { schema: given, tests } of groups) {
    if (typeof given !== "object" || given === null) continue;
    const schema = { $schema, ...given };
    const form = reduced(schema);
    const full = await compile(schema as never).catch(() => undefined);
    if (!full) continue;
    const reducedForm = await compile(form as never);
    expect(refusedKeyword(form), JSON.stringify(schema)).toBeUndefined();
    for (const { data } of tests) {
      const text = JSON.stringify(data);
      if (full.check(text).length > 0) continue;
      checked += 1;
      expect(reducedForm.check(text), `${JSON.stringify(schema)}\n${JSON.stringify(form)}\n${text}`).toEqual([]);
    }
  }
  expect(checked).toBeGreaterThan(least);
});

describe("reduced", () => {
  it("changes nothing of a schema that has nothing to refuse", () => {
    const schema = { type: "object", properties: { format: { type: "string", pattern: "^a+$" }, $ref: { enum: [{ format: 1 }] } }, required: ["format"], additionalProperties: false };
    expect(reduced(schema)).toEqual(schema);
  });

  it.each<[string, object, object]>([
    ["writes references out, with their own words first", { properties: { a: { $ref: "#/$defs/a~1b%20c", description: "Mine." } }, $defs: { "a/b c": { type: "string", description: "Theirs." } } }, { properties: { a: { type: "string", description: "Mine." } } }],
    ["keeps what stands beside a reference", { $ref: "#/$defs/a", minimum: 1, $defs: { a: { type: "integer" } } }, { minimum: 1, allOf: [{ type: "integer" }] }],
    ["leaves out what nobody can follow", { properties: { a: { $ref: "https://example.com/a" }, b: { $ref: "#/nowhere" }, c: { $ref: "#" } } }, { properties: { a: {}, b: {}, c: {} } }],
    ["makes a choice of branches that took more than they did", { oneOf: [{ format: "date" }, { format: "email" }] }, { anyOf: [{}, {}] }],
    ["leaves out what would take less", { not: { format: "date" }, if: { $ref: "https://example.com/a" }, then: { type: "string" }, else: { type: "number" } }, {}],
    ["leaves out patterns that are none", { patternProperties: { "(": {} }, additionalProperties: false, properties: { a: { pattern: "[" } } }, { properties: { a: {} } }],
    ["has a name like any other", JSON.parse('{"properties":{"__proto__":{"format":"date","type":"string"}}}') as object, JSON.parse('{"properties":{"__proto__":{"type":"string"}}}') as object],
  ])("%s", (_what, schema, expected) => {
    expect(reduced(schema)).toEqual(expected);
    expect(JSON.stringify(reduced(schema))).toBe(JSON.stringify(expected));
  });

  it("comes to an end where references do not, and where there are very many", () => {
    const tree = { $ref: "#/$defs/node", $defs: { node: { type: "object", properties: { value: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/node" } } } } } };
    expect(JSON.stringify(reduced(tree))).toMatch(/^(\{"type":"object","properties":\{"value":\{"type":"string"\},"children":\{"type":"array","items":){2}/);
    expect(refusedKeyword(reduced(tree))).toBeUndefined();
    const wide = { $ref: "#/$defs/n", $defs: { n: { anyOf: Array.from({ length: 50 }, () => ({ $ref: "#/$defs/n" })) } } };
    expect(JSON.stringify(reduced(wide)).length).toBeLessThan(100_000);
    let deep: object = { format: "date" };
    for (let level = 0; level < 1_000; level += 1) deep = { not: deep };
    expect(refusedKeyword(reduced(deep))).toBeUndefined();
  });

  it("makes real tools' schemas ones that no browser refuses, and leaves their arguments named", () => {
    const tools = fixture("tool-schemas.jsonl").trim().split("\n").map((line) => JSON.parse(line) as { name: string; inputSchema: { properties?: object } });
    for (const { name, inputSchema } of tools) {
      const form = reduced(inputSchema) as { properties?: object };
      expect([name, refusedKeyword(form)]).toEqual([name, undefined]);
      expect(Object.keys(form.properties ?? {})).toEqual(Object.keys(inputSchema.properties ?? {}));
    }
    expect(tools.length).toBeGreaterThan(30);
  });
});
