/** The validator by itself. */
import { describe, expect, it } from "vitest";
import { compile } from "pagehand/schema";

describe("compile", () => {
  it("refuses a draft that is no string, before anything is compiled", async () => {
    for (const draft of [7, {}, null]) {
      await expect(compile({}, { draft: draft as never })).rejects.toMatchObject({ code: "invalid-options" });
    }
  });

  it("checks values and JSON text", async () => {
    const schema = await compile({ type: "object", properties: { n: { type: "integer", maximum: 9007199254740993 } }, required: ["n"] });
    expect(schema.check({ n: 1 })).toEqual([]);
    expect(schema.check('{"n":1}')).toEqual([]);
    expect(schema.check({})).toMatchObject([{ path: "", keyword: "required" }]);
    expect(schema.check('{"n":"1"}')).toMatchObject([{ path: "/n", keyword: "type", message: expect.stringContaining("/n") }]);
    expect(schema.check({ n: 9007199254740994n })).toMatchObject([{ keyword: "maximum" }]);
  });

  it("says of text that is not JSON that it is not", async () => {
    const schema = await compile(true);
    expect(schema.check('{"n":').length).toBe(1);
  });

  it("reads a schema by the draft asked for", async () => {
    const schema = { minimum: 1, exclusiveMinimum: true } as const;
    expect((await compile(schema, { draft: "4" })).check(1)).toMatchObject([{ keyword: "exclusiveMinimum" }]);
    await expect(compile(schema, { draft: "2020-12" })).rejects.toMatchObject({ code: "invalid-schema" });
  });

  it.each<[string, unknown]>([
    ["a wrong type", { type: "strnig" }],
    ["a reference to nowhere", { $ref: "#/$defs/none" }],
    ["a remote reference", { $ref: "https://example.com/schema.json" }],
    ["a pattern that is none", { pattern: "(" }],
    ["a cycle", ((one: Record<string, unknown>) => (one.not = one))({})],
  ])("rejects %s with invalid-schema", async (_name, schema) => {
    await expect(compile(schema as object as never)).rejects.toMatchObject({ code: "invalid-schema" });
  });
});

it("short texts and long ones are checked in turn, wherever the memory has grown to", async () => {
  const schema = await compile({ type: "object", properties: { a: { type: "string", maxLength: 3_000_000 } } });
  const long = JSON.stringify({ a: "é".repeat(2_000_000) });
  for (let round = 0; round < 3; round += 1) {
    expect(schema.check('{"a":"é😀"}')).toEqual([]);
    expect(schema.check('{"a":7}')).toMatchObject([{ path: "/a", keyword: "type" }]);
    expect(schema.check(long)).toEqual([]);
    expect(schema.check(`{"a":"${"x".repeat(16_385)}"}`)).toEqual([]);
  }
});
