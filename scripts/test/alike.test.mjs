/** The order of functions: alike ones beside each other, all of them there, and each with its own name. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { alike, ordered, withoutPlaces } from "../build/alike.mjs";

/** A body of its own bytes: the same seed gives the same bytes. */
const body = (seed, length) => Uint8Array.from({ length }, (_, at) => Math.imul(seed * 7919 + at + 1, 2654435761) >>> 24);
/** The same with a few bytes changed. */
const near = (bytes, at) => bytes.with(at, bytes[at] ^ 0xff);

test("bodies that are alike stand beside each other, whatever stood between them", () => {
  const [first, second] = [body(1, 300), body(2, 400)];
  const bodies = [first, body(3, 50), second, near(first, 9), body(4, 60), near(second, 200), near(first, 100)];
  const order = alike(bodies);
  assert.deepEqual([...order].sort(), [0, 1, 2, 3, 4, 5, 6]);
  const places = (...indices) => indices.map((index) => order.indexOf(index)).sort((left, right) => left - right);
  for (const family of [places(0, 3, 6), places(2, 5)]) assert.equal(family.at(-1) - family[0], family.length - 1, `${order}`);
  assert.deepEqual(alike(bodies), order, "the same bodies, another order");
});

test("a module without anything alike, and one without functions", () => {
  assert.deepEqual(alike([body(1, 200), body(2, 20)]), [1, 0]);
  assert.deepEqual(alike([]), []);
});

test("the names that are added say the order, are the functions' own, and leave the module what it was", () => {
  const text = (words) => [words.length, ...Buffer.from(words)];
  const section = (id, ...bytes) => [id, bytes.length, ...bytes];
  const bytes = Uint8Array.from([
    ...[0, 97, 115, 109, 1, 0, 0, 0],
    ...section(1, 1, 0x60, 0, 0),
    ...section(2, 1, ...text("m"), ...text("f"), 0, 0),
    ...section(3, 2, 0, 0),
    ...section(10, 2, 5, 0, 1, 1, 1, 0x0b, 2, 0, 0x0b),
  ]);
  const made = ordered(bytes, new Map([[0, "f"], [1, "long::one"], [2, "short<T>::one"]]));
  assert.ok(WebAssembly.validate(made));
  assert.deepEqual(made.subarray(0, bytes.length), Buffer.from(bytes));
  const [names] = WebAssembly.Module.customSections(new WebAssembly.Module(made), "name").map((one) => Buffer.from(one).toString("latin1"));
  assert.match(names, /\x00\x01f\x01\x10000001~long::one\x02\x14000000~short<T>::one$/);
  assert.equal(withoutPlaces("0:f\n1:000001~a\\3c~\n2:b000002~\n"), "0:f\n1:a\\3c~\n2:b000002~\n");
});
