/** Callers of closures leave the table, everything else keeps its place in it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutDeadShims } from "../build/dead-shims.mjs";

const text = (words) => [words.length, ...Buffer.from(words)];
const number = (value) => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, value >> 7]);
const section = (id, ...bytes) => [id, ...number(bytes.length), ...bytes];
const constant = (value) => [4, 0, 0x41, value, 0x0b];

/** Functions that return their index, all in the table from place 1 on, with these names; the table is exported. */
const module = (names) =>
  Uint8Array.from([
    ...[0, 97, 115, 109, 1, 0, 0, 0],
    ...section(1, 1, 0x60, 0, 1, 0x7f),
    ...section(3, names.length, ...names.map(() => 0)),
    ...section(4, 1, 0x70, 0, names.length + 1),
    ...section(7, 1, ...text("table"), 1, 0),
    ...section(9, 1, 0, 0x41, 1, 0x0b, names.length, ...names.map((_, index) => index)),
    ...section(10, names.length, ...names.flatMap((_, index) => constant(index))),
    ...section(0, ...text("name"), 1, ...number(names.reduce((sum, name) => sum + name.length + 2, 1)), names.length, ...names.flatMap((name, index) => [index, ...text(name)])),
  ]);

function places(bytes, count) {
  const { table } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
  return Array.from({ length: count }, (_, index) => table.get(index + 1)());
}

test("only callers of closures go, whatever hash they have", () => {
  const invoke = "wasm_bindgen::convert::closures::_::invoke";
  const names = [`${invoke}::h70627c`, "a::b", `${invoke.replace("::", "[12ab]::")}`, `${invoke}_other`, "wasm_bindgen::convert::closures::invoke", `x::${invoke}`];
  const before = module(names);
  assert.deepEqual(places(before, 6), [0, 1, 2, 3, 4, 5]);
  const { module: after, gone } = withoutDeadShims(before);
  assert.equal(gone, 2);
  assert.deepEqual(places(after, 6), [1, 1, 1, 3, 4, 5]);
});

test("a module without them stays as it is", () => {
  const before = module(["a", "b"]);
  assert.deepEqual(withoutDeadShims(before), { module: Buffer.from(before), gone: 0 });
});
