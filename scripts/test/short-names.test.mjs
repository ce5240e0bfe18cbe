/** Renaming imports touches nothing but the names: shown on modules with every kind of import. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { renameImports, shortenImports } from "../build/short-names.mjs";

const name = (text) => [text.length, ...Buffer.from(text)];
const section = (id, ...bytes) => [id, bytes.length, ...bytes];
const header = [0, 97, 115, 109, 1, 0, 0, 0];
/** Type () -> (), then imports of a function, a table, a memory and a global. */
const module = Uint8Array.from([
  ...header,
  ...section(1, 1, 0x60, 0, 0),
  ...section(2, 4, ...name("m"), ...name("__wbg_run_0123456789abcdef"), 0, 0, ...name("m"), ...name("table"), 1, 0x70, 1, 1, 9, ...name("m"), ...name("memory"), 2, 0, 1, ...name("m"), ...name("global"), 3, 0x7f, 0),
  ...section(7, 1, ...name("out"), 0, 0),
]);

test("every kind of import keeps its description", () => {
  const renamed = renameImports(module, (one) => `${one}!`.repeat(60));
  const before = WebAssembly.Module.imports(new WebAssembly.Module(module));
  const after = WebAssembly.Module.imports(new WebAssembly.Module(renamed));
  assert.deepEqual(after, before.map((one) => ({ ...one, name: `${one.name}!`.repeat(60) })));
  assert.deepEqual(renameImports(module, (one) => one), Buffer.from(module));
});

test("a module and its glue get the same short names, and only names with a hash do", () => {
  const folder = mkdtempSync(join(tmpdir(), "short-names-"));
  const [wasm, glue] = [join(folder, "a.wasm"), join(folder, "a.js")];
  try {
    writeFileSync(wasm, module);
    writeFileSync(glue, "const imports = { __wbg_run_0123456789abcdef: function() {}, table, memory, global };");
    shortenImports(wasm, glue);
    assert.deepEqual(WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(wasm))).map((one) => one.name), ["_0", "table", "memory", "global"]);
    assert.equal(readFileSync(glue, "utf8"), "const imports = { _0: function() {}, table, memory, global };");
    writeFileSync(wasm, module);
    assert.throws(() => shortenImports(wasm, glue), /does not define __wbg_run/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
