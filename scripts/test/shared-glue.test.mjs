/** The one glue of two WASM files: each call makes a module's own, and a build whose files differ by more fails. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { factoryOf, requireShared } from "../build/shared-glue.mjs";

/** Glue as wasm-bindgen writes it, in small. */
const glue = (more = "", hash = "0123456789abcdef") => `/* @ts-self-types="./a.d.ts" */

/**
 * For people.
 */
export class RawRuntime {
    add(text) {
        let ptr0, len0;
        try {
            ptr0 = passStringToWasm0(text, 1, 2);
            len0 = text.length;
        } catch (e) {
            if (ptr0) { wasm.free(ptr0); }
            throw e;
        }
        count += len0;
        return ptr0;
    }
${more}}
if (Symbol.dispose) RawRuntime.prototype[Symbol.dispose] = RawRuntime.prototype.free;
export function __wbg_reset_state () {
    if (typeof numBytesDecoded !== 'undefined') count = 0;
    __wbg_reinit_scheduled = false;
}
export function buildInfo() {
    return "1";
}
let count = 0;
function __wbg_call_guard() {
    if (__wbg_reinit_scheduled) {
        return;
    }
}
function wasm_bindgen__convert__closures_____invoke__h${hash}() {}
const CLOSURE_DTORS = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(() => {});
function getDataViewMemory0() {
    if (cachedDataViewMemory0 === null || cachedDataViewMemory0.buffer.detached === true || (cachedDataViewMemory0.buffer.detached === undefined && cachedDataViewMemory0.buffer !== wasm.memory.buffer)) {
        cachedDataViewMemory0 = new DataView(wasm.memory.buffer);
    }
}
function passStringToWasm0(text, malloc, realloc) {
    if (realloc === undefined) {
        return "never";
    }
    // Loud.
    return \`\${count}:\${text}\`;
}
let __wbg_reinit_scheduled = false;
const cachedTextEncoder = new TextEncoder();
if (!('encodeInto' in cachedTextEncoder)) {
    throw new Error();
}
function __wbg_get_imports() {
    return {};
}
let wasm;
function __wbg_finalize_init(instance, module) {
    wasm = instance.exports;
    return wasm;
}
async function __wbg_load(module, imports) {
    return await fetch(module);
}
function initSync(module) {
    if (wasm !== undefined) return wasm;
    return module;
}
let __wbg_init_promise;
async function __wbg_init(module_or_path) {
    return __wbg_load(module_or_path);
}
export { initSync, __wbg_init as default };
`;

test("each call makes the glue of one module, which knows nothing of another", async () => {
  const { makeGlue } = await import(`data:text/javascript,${encodeURIComponent(factoryOf(glue()))}`);
  const [one, other] = [makeGlue(), makeGlue()];
  assert.equal(new one.RawRuntime().add("three"), "0:three");
  assert.equal(new one.RawRuntime().add("x"), "5:x");
  assert.equal(new other.RawRuntime().add("x"), "0:x");
  one.__wbg_reset_state();
  assert.equal(new one.RawRuntime().add("x"), "0:x");
  const module = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
  assert.ok(one.initSync({ module }));
  assert.equal(one.buildInfo(), "1");
});

test("glue that lacks what the facade needs is refused", () => {
  assert.throws(() => factoryOf(glue().replace("function buildInfo", "function info")), /no function buildInfo/);
  assert.throws(() => factoryOf(glue().replace("if (Symbol.dispose)", "if (Symbol.other)")), /no Symbol.dispose/);
  assert.throws(() => factoryOf(glue().replace("let count = 0;", "let count = await 0;")), /still has/);
});

test("files may differ by hashes and by the methods that are named, and by nothing else", () => {
  const more = "    provide(given) {\n        return passStringToWasm0(given);\n    }\n";
  requireShared(glue(more), glue("", "fedcba9876543210"), ["provide"]);
  assert.throws(() => requireShared(glue(more), glue(), []), /does not serve/);
  assert.throws(() => requireShared(glue(), glue().replace("count += len0", "count += 1"), ["provide"]), /count \+= 1/);
});
