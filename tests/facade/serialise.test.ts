/** The table of results: each odd value has one stated form, or an error that names the place. */
import { describe, expect, it } from "vitest";
import { messageOf } from "../../src/js/errors.ts";
import { serialise as withWords, toJsonText } from "../../src/js/serialise.ts";

const serialise = (value: unknown) => withWords(value, messageOf);

const text = async (value: unknown) => (await serialise(value)).json;

describe("values with a form", () => {
  it.each<[string, unknown, string]>([
    ["a string", "Lisbon", '"Lisbon"'],
    ["undefined", undefined, "null"],
    ["null", null, "null"],
    ["NaN", Number.NaN, "null"],
    ["infinities", [Infinity, -Infinity], "[null,null]"],
    ["minus zero", -0, "-0"],
    ["a BigInt", { id: 2512292042121000001n }, '{"id":2512292042121000001}'],
    ["a Date", new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ["an invalid Date", new Date(Number.NaN), "null"],
    ["a Map", new Map<string, unknown>([["a", 1], ["b", new Set([2n])]]), '[["a",1],["b",[2]]]'],
    ["an Error", new RangeError("too far"), '"too far"'],
    ["a URL", new URL("https://shop.example/cart"), '"https://shop.example/cart"'],
    ["URLSearchParams", new URLSearchParams("a=1&b=2"), '[["a","1"],["b","2"]]'],
    ["a RegExp", /a+/g, '"/a+/g"'],
    ["toJSON", { toJSON: (key: string) => ({ key }) }, '{"key":""}'],
    ["toJSON of a member", { at: { toJSON: (key: string) => key } }, '{"at":"at"}'],
    ["members that are undefined", { a: undefined, b: [undefined] }, '{"b":[null]}'],
    ["a sparse array", [1, , 3], "[1,null,3]"],
    ["numbers wider than a byte", new Float64Array([1.5, Number.NaN]), "[1.5,null]"],
    ["boxed values", [new Number(1), new String("a"), new Boolean(false)], '[1,"a",false]'],
    ["an object without prototype", Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    ["a __proto__ key", JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
    ["a lone surrogate", { a: "x\ud800y", "\udc00": 1 }, '{"a":"x\ufffdy","\ufffd":1}'],
    ["a pair of surrogates", "\ud83d\ude00", '"\ud83d\ude00"'],
    ["the same object twice", ((one) => [one, one])({ a: 1 }), '[{"a":1},{"a":1}]'],
    ["a proxy", new Proxy({ a: 1 }, {}), '{"a":1}'],
  ])("%s", async (_name, value, json) => {
    expect(await text(value)).toBe(json);
  });
});

describe("values without one", () => {
  const cycle: Record<string, unknown> = { a: { b: [] } };
  (cycle.a as { b: unknown[] }).b.push(cycle);
  const deep = JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`) as unknown;
  class Node {
    get nodeType() {
      return 1;
    }
    get nodeName() {
      return "DIV";
    }
  }
  it.each<[string, unknown, RegExp]>([
    ["a cycle", cycle, /^result\.a\.b\[0\] cannot be sent: it contains itself$/],
    ["a function", { items: [{ run: () => 1 }] }, /^result\.items\[0\]\.run .*function/],
    ["a symbol", { "odd key": Symbol("x") }, /^result\["odd key"\] .*symbol/],
    ["a throwing getter", { a: { get b(): never { throw new Error("no b"); } } }, /^result\.a\.b .*threw: no b/],
    ["a throwing toJSON", [{ toJSON: () => { throw "nope"; } }], /^result\[0\] .*threw: nope/],
    ["a DOM node", { el: new Node() }, /^result\.el .*it is a Node without data to send/],
    ["a window", globalThis, /^result .*without data to send/],
    ["a promise", { later: Promise.resolve(1) }, /^result\.later .*promise/],
    ["a generator that throws after an item", { all: (function* () { yield { a: 1 }; throw new Error("late"); })() }, /^result\.all .*threw: late/],
    ["a getter behind a deeper member", { a: { b: 1 }, get c(): never { throw new Error("no c"); } }, /^result\.c .*threw: no c/],
    ["something that only calls itself a Blob", { a: [{ [Symbol.toStringTag]: "Blob" }] }, /^result\.a\[0\] .*cannot be read here/],
    ["thousands of levels", deep, /nested deeper than 100 levels/],
  ])("%s is an error that names the place", async (_name, value, message) => {
    await expect(serialise(value)).rejects.toThrow(message);
  });
});

describe("media", () => {
  it("travels as content blocks beside the text that says where it was", async () => {
    const png = new Blob([Uint8Array.of(1, 2, 3)], { type: "image/png" });
    const note = new File(["hello"], "a b.txt", { type: "text/plain" });
    const { json, media } = await serialise({ shot: png, note, raw: Uint8Array.of(255) });
    expect(JSON.parse(json)).toEqual({
      shot: "[image/png, content 1]",
      note: "[text/plain, content 2]",
      raw: "[application/octet-stream, content 3]",
    });
    expect(JSON.parse(media ?? "")).toEqual([
      { type: "image", data: "AQID", mimeType: "image/png" },
      { type: "resource", resource: { uri: "page://result/1/a%20b.txt", mimeType: "text/plain", text: "hello" } },
      { type: "resource", resource: { uri: "page://result/2", mimeType: "application/octet-stream", blob: "/w==" } },
    ]);
  });

  it("has no place in arguments", () => {
    expect(() => toJsonText({ file: new Blob(["x"]) }, messageOf)).toThrow(/^input\.file/);
  });
});

it("sends ten megabytes", async () => {
  const value = { text: "x".repeat(10 << 20) };
  expect((await text(value)).length).toBe((10 << 20) + 11);
});
