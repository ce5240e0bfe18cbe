import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import binaryen from "binaryen";
import { emptyUnused, requireNoCallers } from "../build/unused.mjs";

const folder = mkdtempSync(join(tmpdir(), "unused-"));
test.after(() => rmSync(folder, { recursive: true, force: true }));

const text = `(module
  (func $kept (export "kept") (result i32) (i32.const 1))
  (func $thing::evaluate (export "evaluate") (result i32) (i32.const 2)))`;

test("functions of the given names are emptied, and nothing else is", async () => {
  const file = join(folder, "module.wasm");
  binaryen.setDebugInfo(true);
  writeFileSync(file, binaryen.parseText(text).emitBinary());
  await emptyUnused(file, { bodies: /::evaluate$/ });
  const { instance } = await WebAssembly.instantiate(readFileSync(file));
  assert.equal(instance.exports.kept(), 1);
  assert.throws(() => instance.exports.evaluate(), WebAssembly.RuntimeError);
  await assert.rejects(emptyUnused(file, { bodies: /::absent$/ }), /has no function named like/);
});

test("a caller that is left fails the build", () => {
  const names = join(folder, "names.txt");
  writeFileSync(names, "0:kept\n1:thing::caller\n");
  requireNoCallers(names, { callers: /absent/ });
  assert.throws(() => requireNoCallers(names, { callers: /::caller/ }), /still holds 1:thing::caller/);
});
