/**
 * The table of results: what a handler returns, and what the model reads of it. Each case belongs to a row of
 * `docs/values.md`, by the row's label. Values are made when asked for: some can be gone through only once.
 * Cases that need a DOM are in `tests/browser/values-dom.mjs`.
 */

/** One returned value and its end. */
export interface ResultCase {
  /** The label of the row in `docs/values.md`. */
  row: string;
  /** What tells it from the other cases of the row. */
  name?: string;
  make: () => unknown;
  /** The JSON text that travels. */
  json?: string;
  /** What the model reads, where that is not `json`. */
  reads?: string | RegExp;
  /** The error instead: a pattern of its text. */
  error?: RegExp;
  /** The content blocks that travel with it. */
  media?: unknown[];
}

const bytes = Uint8Array.of(1, 2, 255);
const blob = (data: string) => [{ type: "resource", resource: { uri: "page://result/0", mimeType: "application/octet-stream", blob: data } }];
const raw = (row: string, name: string, make: () => unknown): ResultCase => ({
  row, name, make, json: '"[application/octet-stream, content 1]"', reads: "[application/octet-stream, content 1]", media: blob("AQL/"),
});
const refused = (row: string, name: string, make: () => unknown, error: RegExp): ResultCase => ({ row, name, make, error });
/** Refused where it stands: the path and the kind. */
const hidden = (kind: string, make: () => unknown): ResultCase =>
  refused("Built-in objects without data of their own", kind, () => ({ at: [make()] }), new RegExp(`^result\\.at\\[0\\] cannot be sent: it is a ${kind} without data to send$`));

class Point {
  readonly x = 1;
  readonly y = 2;
  get length() {
    return 3;
  }
}
class Vault {
  readonly #secret = 1;
  get secret() {
    return this.#secret;
  }
}
class CartError extends RangeError {}
const cycle = () => {
  const value: Record<string, unknown> = { a: { b: [] } };
  (value.a as { b: unknown[] }).b.push(value);
  return value;
};
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const fail = (): never => {
  throw new Error("no entry");
};
const nested = (levels: number) => JSON.parse(`${"[".repeat(levels)}1${"]".repeat(levels)}`) as unknown;
function* endless() {
  for (;;) yield 1;
}

/** Every case that Node can make. */
export const RESULTS: ResultCase[] = [
  { row: "A string", make: () => "Lisbon", json: '"Lisbon"', reads: "Lisbon" },
  { row: "A string", name: "that looks like JSON", make: () => '{"a":1}', json: '"{\\"a\\":1}"', reads: '{"a":1}' },
  { row: "A string", name: "that is empty", make: () => "", json: '""', reads: "" },
  { row: "`undefined`", make: () => undefined, json: "null", reads: "null" },
  { row: "`null`", make: () => null, json: "null", reads: "null" },
  { row: "A number", make: () => 0.1, json: "0.1" },
  { row: "A number", name: "with an exponent", make: () => [1e21, 5e-324], json: "[1e+21,5e-324]" },
  { row: "`NaN`, `Infinity`", make: () => [Number.NaN, Infinity, -Infinity], json: "[null,null,null]" },
  { row: "`-0`", make: () => [-0], json: "[-0]", reads: "[-0.0]" },
  { row: "A BigInt", make: () => ({ id: 2512292042121000001n }), json: '{"id":2512292042121000001}' },
  { row: "A BigInt", name: "below zero", make: () => -(2n ** 60n), json: "-1152921504606846976" },
  { row: "A boolean", make: () => true, json: "true" },
  { row: "`new Number`, `new String`, `new Boolean`, `Object(1n)`", make: () => [new Number(1), new String("a"), new Boolean(false), Object(1n)], json: '[1,"a",false,1]' },
  { row: "A record", make: () => ({ b: 1, a: { "odd key": "x" } }), json: '{"b":1,"a":{"odd key":"x"}}', reads: /odd key/ },
  { row: "A record", name: "without prototype", make: () => Object.assign(Object.create(null), { a: 1 }), json: '{"a":1}' },
  { row: "A record", name: "with a __proto__ key", make: () => JSON.parse('{"__proto__":1}'), json: '{"__proto__":1}' },
  { row: "A record", name: "that is empty", make: () => ({}), json: "{}" },
  { row: "Members that are `undefined`", make: () => ({ a: undefined, b: [undefined] }), json: '{"b":[null]}' },
  { row: "Symbol keys", make: () => ({ [Symbol("hidden")]: 1, a: 1 }), json: '{"a":1}' },
  { row: "An instance of your own class", make: () => new Point(), json: '{"x":1,"y":2}' },
  refused("An instance of your own class without fields", "", () => ({ in: new Vault() }), /^result\.in cannot be sent: it is a Vault without data to send$/),
  { row: "An array", name: "with holes", make: () => [1, , 3], json: "[1,null,3]" },
  { row: "The same object in two places", make: () => ((one) => [one, one])({ a: 1 }), json: '[{"a":1},{"a":1}]' },
  { row: "`toJSON`", make: () => ({ at: { toJSON: (key: string) => `under ${key}` } }), json: '{"at":"under at"}' },
  { row: "`toJSON`", name: "that returns undefined", make: () => ({ a: { toJSON: () => undefined }, b: 1 }), json: '{"b":1}' },
  { row: "A Date", make: () => new Date(0), json: '"1970-01-01T00:00:00.000Z"', reads: "1970-01-01T00:00:00.000Z" },
  { row: "An invalid Date", make: () => [new Date(Number.NaN)], json: "[null]" },
  { row: "A Map", make: () => new Map<string, unknown>([["a", 1], ["b", new Set([2n])]]), json: '[["a",1],["b",[2]]]' },
  { row: "A Set", make: () => new Set(["a", "b"]), json: '["a","b"]' },
  { row: "An Error", make: () => new CartError("too far"), json: '"too far"', reads: "too far" },
  { row: "An Error", name: "without a message", make: () => [new TypeError()], json: '["TypeError"]' },
  { row: "An Error", name: "of many", make: () => new AggregateError([new Error("a")], "all failed"), json: '"all failed"', reads: "all failed" },
  { row: "An Error", name: "of the DOM", make: () => new DOMException("gone", "AbortError"), json: '"gone"', reads: "gone" },
  { row: "A URL", make: () => new URL("https://shop.example/cart"), json: '"https://shop.example/cart"', reads: "https://shop.example/cart" },
  { row: "`URLSearchParams`, `Headers`, `FormData`", name: "parameters", make: () => new URLSearchParams("a=1&b=2"), json: '[["a","1"],["b","2"]]' },
  { row: "`URLSearchParams`, `Headers`, `FormData`", name: "headers", make: () => new Headers({ "x-a": "1" }), json: '[["x-a","1"]]' },
  { row: "`URLSearchParams`, `Headers`, `FormData`", name: "a form", make: () => ((form) => (form.set("a", "1"), form))(new FormData()), json: '[["a","1"]]' },
  { row: "A RegExp", make: () => /a+/g, json: '"/a+/g"', reads: "/a+/g" },
  { row: "A generator, an iterator", name: "a generator", make: () => (function* () { yield 1; yield "b"; })(), json: '[1,"b"]' },
  { row: "A generator, an iterator", name: "an iterator", make: () => new Map([["k", 1]]).keys(), json: '["k"]' },
  refused("A generator, an iterator", "without end", () => ({ all: endless() }), /^result\.all cannot be sent: it has more than 4194304 items$/),
  ...[Int8Array, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array].map((Kind): ResultCase => (
    { row: "Typed arrays of other numbers", name: Kind.name, make: () => new Kind([1, 2]), json: "[1,2]" }
  )),
  ...[BigInt64Array, BigUint64Array].map((Kind): ResultCase => (
    { row: "Typed arrays of other numbers", name: Kind.name, make: () => new Kind([2n ** 60n]), json: "[1152921504606846976]" }
  )),
  raw("Bytes: `ArrayBuffer`, `SharedArrayBuffer`, `Uint8Array`, `Uint8ClampedArray`, `DataView`", "ArrayBuffer", () => bytes.slice().buffer),
  raw("Bytes: `ArrayBuffer`, `SharedArrayBuffer`, `Uint8Array`, `Uint8ClampedArray`, `DataView`", "SharedArrayBuffer", () => {
    const shared = new SharedArrayBuffer(3);
    new Uint8Array(shared).set(bytes);
    return shared;
  }),
  raw("Bytes: `ArrayBuffer`, `SharedArrayBuffer`, `Uint8Array`, `Uint8ClampedArray`, `DataView`", "Uint8Array", () => bytes.slice()),
  raw("Bytes: `ArrayBuffer`, `SharedArrayBuffer`, `Uint8Array`, `Uint8ClampedArray`, `DataView`", "Uint8ClampedArray", () => new Uint8ClampedArray(bytes)),
  raw("Bytes: `ArrayBuffer`, `SharedArrayBuffer`, `Uint8Array`, `Uint8ClampedArray`, `DataView`", "DataView", () => new DataView(Uint8Array.of(0, 1, 2, 255, 0).buffer, 1, 3)),
  { row: "A Blob or File", name: "an image", make: () => new Blob([bytes], { type: "image/png" }), json: '"[image/png, content 1]"', media: [{ type: "image", data: "AQL/", mimeType: "image/png" }], reads: "[image/png, content 1]" },
  { row: "A Blob or File", name: "a sound", make: () => new Blob([bytes], { type: "audio/wav" }), json: '"[audio/wav, content 1]"', media: [{ type: "audio", data: "AQL/", mimeType: "audio/wav" }], reads: "[audio/wav, content 1]" },
  {
    row: "A Blob or File",
    name: "a text with a name",
    make: () => ({ note: new File(["hello"], "a b.txt", { type: "text/plain" }) }),
    json: '{"note":"[text/plain, content 1]"}',
    media: [{ type: "resource", resource: { uri: "page://result/0/a%20b.txt", mimeType: "text/plain", text: "hello" } }],
  },
  { row: "A Proxy", make: () => new Proxy({ a: 1 }, {}), json: '{"a":1}' },
  refused("A Proxy", "that is revoked", () => ({ a: revoked() }), /^result\.a cannot be sent: reading it threw: .*revoked$/),
  refused("A Proxy", "with a trap that throws", () => [new Proxy({}, { ownKeys: fail })], /^result\[0\] cannot be sent: reading it threw: no entry$/),
  refused("A getter or `toJSON` that throws", "a getter", () => ({ a: { get b() { return fail(); } } }), /^result\.a\.b cannot be sent: reading it threw: no entry$/),
  refused("A getter or `toJSON` that throws", "toJSON", () => [{ toJSON: fail }], /^result\[0\] cannot be sent: reading it threw: no entry$/),
  { row: "Lone surrogates", make: () => ({ a: "x\ud800y", "\udc00": 1 }), json: '{"a":"x\ufffdy","\ufffd":1}' },
  refused("A cycle", "", cycle, /^result\.a\.b\[0\] cannot be sent: it contains itself$/),
  { row: "Deep nesting", name: "of 100 levels", make: () => nested(100), json: `${"[".repeat(100)}1${"]".repeat(100)}` },
  refused("Deep nesting", "of 10,000 levels", () => nested(10_000), /^result[[\]0]{114} cannot be sent: it is nested deeper than 100 levels$/),
  refused("A function", "", () => ({ items: [{ run: () => 1 }] }), /^result\.items\[0\]\.run cannot be sent: it is a function$/),
  refused("A function", "a class", () => Point, /^result cannot be sent: it is a function$/),
  refused("A symbol", "", () => ({ "odd key": Symbol("x") }), /^result\["odd key"\] cannot be sent: it is a symbol$/),
  refused("A promise inside the result", "", () => ({ later: Promise.resolve(1) }), /^result\.later cannot be sent: it is a promise: await it first$/),
  refused("A promise inside the result", "a thenable", () => [{ then: () => undefined }], /^result\[0\] cannot be sent: it is a promise: await it first$/),
  refused("`window`, `globalThis`", "", () => ({ all: globalThis }), /^result\.all cannot be sent: it is a \w+ without data to send$/),
  hidden("WeakMap", () => new WeakMap()),
  hidden("WeakSet", () => new WeakSet()),
  hidden("WeakRef", () => new WeakRef({})),
  hidden("Response", () => new Response("x")),
  hidden("Request", () => new Request("https://shop.example/")),
  hidden("ReadableStream", () => new ReadableStream()),
  hidden("AbortSignal", () => AbortSignal.abort()),
  hidden("AbortController", () => new AbortController()),
  hidden("Intl\\.NumberFormat", () => new Intl.NumberFormat("en")),
  hidden("Intl\\.DateTimeFormat", () => new Intl.DateTimeFormat("en")),
  hidden("AsyncGenerator", () => (async function* () { yield 1; })()),
  hidden("Math", () => Math),
  hidden("Event", () => new Event("click")),
  hidden("Crypto", () => globalThis.crypto),
  refused("A result larger than the cap", "a string of 10 MB", () => "x".repeat(10 << 20), /^the result of tool `give` takes 10485762 bytes, more than the 4194304 that may be sent$/),
  refused("A result larger than the cap", "an array of 10 MB", () => new Array<string>(1 << 20).fill("12345678"), /^the result of tool `give` takes 11534337 bytes, more than the 4194304 that may be sent$/),
];
