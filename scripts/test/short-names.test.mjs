/** Renaming touches nothing but the names: shown on modules with every kind of import, and exports of what they import. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { renameNames, shortenNames } from "../build/short-names.mjs";

const name = (text) => [text.length, ...Buffer.from(text)];
const section = (id, ...bytes) => [id, bytes.length, ...bytes];
const header = [0, 97, 115, 109, 1, 0, 0, 0];
/** Type () -> (), then imports of a function, a table, a memory and a global. */
const module = Uint8Array.from([
  ...header,
  ...section(1, 1, 0x60, 0, 0),
  ...section(2, 4, ...name("m"), ...name("__wbg_run_0123456789abcdef"), 0, 0, ...name("m"), ...name("table"), 1, 0x70, 1, 1, 9, ...name("m"), ...name("memory"), 2, 0, 1, ...name("m"), ...name("global"), 3, 0x7f, 0),
  ...section(7, 3, ...name("counter_askingStarted"), 0, 0, ...name("memory"), 2, 0, ...name("__unused"), 3, 0),
]);
const importsOf = (bytes) => WebAssembly.Module.imports(new WebAssembly.Module(bytes));
const exportsOf = (bytes) => WebAssembly.Module.exports(new WebAssembly.Module(bytes));

test("every kind of import and export keeps its description", () => {
  const longer = (one) => `${one}!`.repeat(60);
  const renamed = renameNames(module, { imported: longer, exported: longer });
  assert.deepEqual(importsOf(renamed), importsOf(module).map((one) => ({ ...one, name: longer(one.name) })));
  assert.deepEqual(exportsOf(renamed), exportsOf(module).map((one) => ({ ...one, name: longer(one.name) })));
  assert.deepEqual(renameNames(module, {}), Buffer.from(module));
});

test("a module and its glue get the same short names: imports with a hash, and exports that the glue uses", () => {
  const folder = mkdtempSync(join(tmpdir(), "short-names-"));
  const [wasm, glue] = [join(folder, "a.wasm"), join(folder, "a.js")];
  try {
    writeFileSync(wasm, module);
    writeFileSync(glue, 'const imports = { "m": { __wbg_run_0123456789abcdef: function() {}, table, memory, global } }; wasm.counter_askingStarted(wasm.memory); wasm.counter_askingStartedTwice;');
    shortenNames(wasm, glue);
    assert.deepEqual(importsOf(readFileSync(wasm)).map((one) => one.name), ["_0", "table", "memory", "global"]);
    assert.deepEqual(exportsOf(readFileSync(wasm)).map((one) => one.name), ["a", "memory", "__unused"]);
    assert.equal(readFileSync(glue, "utf8"), 'const imports = { "g": { _0: function() {}, table, memory, global } }; wasm.a(wasm.memory); wasm.counter_askingStartedTwice;');
    assert.deepEqual(new Set(importsOf(readFileSync(wasm)).map((one) => one.module)), new Set(["g"]));
    writeFileSync(wasm, module);
    assert.throws(() => shortenNames(wasm, glue), /does not define __wbg_run/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("two files that differ by one export get the same names for the rest, whatever its place", () => {
  const folder = mkdtempSync(join(tmpdir(), "short-names-"));
  const exported = (...names) => Uint8Array.from([...header, ...section(1, 1, 0x60, 0, 0), ...section(3, 1, 0), ...section(7, names.length, ...names.flatMap((one) => [...name(one), 0, 0])), ...section(10, 1, 2, 0, 0x0b)]);
  const shortened = (...names) => {
    const [wasm, glue] = [join(folder, "b.wasm"), join(folder, "b.js")];
    writeFileSync(wasm, exported(...names));
    writeFileSync(glue, names.map((one) => `wasm.${one}();`).join(" "));
    shortenNames(wasm, glue, ["more"]);
    return readFileSync(glue, "utf8");
  };
  try {
    assert.equal(shortened("one", "two", "three"), "wasm.a(); wasm.b(); wasm.c();");
    assert.equal(shortened("one", "more", "two", "three"), "wasm.a(); wasm.d(); wasm.b(); wasm.c();");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
