/** The one glue of two WASM files: each call makes a module's own, and a build whose files differ by more fails. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { factoryOf, requireShared } from "../build/shared-glue.mjs";

const section = (id, ...bytes) => [id, bytes.length, ...bytes];
const name = (text) => [text.length, ...Buffer.from(text)];
/** Exports what it imports, `info` that gives 3 and 4, and `free`. */
const loaded = Uint8Array.from([
  ...[0, 97, 115, 109, 1, 0, 0, 0],
  ...section(1, 5, ...[0x60, 2, 0x7f, 0x7f, 1, 0x7f], ...[0x60, 1, 0x7f, 1, 0x7f], ...[0x60, 0, 1, 0x7f], ...[0x60, 0, 2, 0x7f, 0x7f], ...[0x60, 3, 0x7f, 0x7f, 0x7f, 0]),
  ...section(2, 3, ...[0, 1, 2].flatMap((type) => [...name("g"), ...name(`_${type}`), 0, type])),
  ...section(3, 2, 3, 4),
  ...section(7, 5, ...["f", "g", "h", "info", "free"].flatMap((one, index) => [...name(one), 0, index])),
  ...section(10, 2, ...[6, 0, 0x41, 3, 0x41, 4, 0x0b], ...[2, 0, 0x0b]),
]);

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
    let deferred1_0;
    let deferred1_1;
    try {
        let ret;
        ret = wasm.info();
        deferred1_0 = ret[0];
        deferred1_1 = ret[1];
        return getStringFromWasm0(ret[0], ret[1]);
    } finally {
        wasm.free(deferred1_0, deferred1_1, 1);
    }
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
function isLikeNone(x) {
    return x === undefined || x === null;
}
const getStringFromWasm0 = (ptr, len) => \`\${ptr}:\${len}\`;
const thrown = [];
const addToExternrefTable0 = (e) => thrown.push(e);
function handleError(f, args) {
    try {
        return f.apply(this, args);
    } catch (e) {
        addToExternrefTable0(e);
    }
}
function __wbg_get_imports() {
    return { g: {
        _0: function() { return handleError(function (arg0, arg1) {
            if (arg1) throw arg1;
            return arg0;
        }, arguments); },
        _1: function(arg0) {
            return arg0 + 1;
        },
        _2: function() {
            const ret = typeof window === 'undefined' ? undefined : window;
            return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
        },
    } };
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
  const exports = one.initSync({ module: new WebAssembly.Module(loaded) });
  assert.equal(one.buildInfo(), "3:4");
  // What is imported does what it did, and a throw is kept from the module.
  assert.deepEqual([exports.f(7, 0), exports.f(7, 5), exports.g(1), exports.h()], [7, 0, 2, 0]);
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
