/** Numbers and keys on their way from JSON text to values. */
import { describe, expect, it } from "vitest";
import { parseJson, parseOr } from "../../src/js/parse.ts";

describe("parseJson", () => {
  it.each([
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", 9007199254740992n],
    ["9007199254740993", 9007199254740993n],
    ["-9007199254740993", -9007199254740993n],
    ["2512292042121000001", 2512292042121000001n],
    ["9223372036854775808", 9223372036854775808n],
    ["1234567890123456.5", 1234567890123456.5],
    ["1234567890123456789e2", 1234567890123456789e2],
    ["-0", -0],
    ["1e400", Number.POSITIVE_INFINITY],
  ])("reads %s without losing a digit of an integer", (text, value) => {
    expect(parseJson(text)).toBe(value);
    expect((parseJson(`{"at":[${text}]}`) as { at: unknown[] }).at[0]).toBe(value);
  });

  it("rounds as JSON.parse does where that is asked for", () => {
    expect(parseJson("9007199254740993", "number")).toBe(9007199254740992);
  });

  it("leaves digits inside strings and keys alone", () => {
    const text = '{"9007199254740993":"9007199254740993 \\"9007199254740993\\" \\\\","n":9007199254740993}';
    expect(parseJson(text)).toEqual({
      "9007199254740993": '9007199254740993 "9007199254740993" \\',
      n: 9007199254740993n,
    });
  });

  it("makes ordinary own properties of __proto__ and constructor", () => {
    for (const text of ['{"__proto__":{"a":1},"constructor":2}', '{"__proto__":{"a":9007199254740993},"constructor":2}']) {
      const value = parseJson(text) as Record<string, unknown>;
      expect(Object.keys(value)).toEqual(["__proto__", "constructor"]);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect((value as { a?: unknown }).a).toBeUndefined();
    }
  });

  it("reads text of any depth, as JSON.parse does", () => {
    const depth = 100_000;
    let value = parseJson(`${"[".repeat(depth)}9007199254740993${"]".repeat(depth)}`);
    for (let level = 0; level < depth; level += 1) [value] = value as unknown[];
    expect(value).toBe(9007199254740993n);
  });

  it.each(['{"a":9007199254740993', '"9007199254740993', "9007199254740993,", '{"a":"\\'])("throws over %s, which is not whole", (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
    expect(parseOr(text)).toBe(text);
  });
});
