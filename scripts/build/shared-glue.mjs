/**
 * The one glue of the two WASM files that machines are made of, the runtime's and AG-UI's: a function that makes what
 * belongs to one module, so that a page which loads the one has the text for both. It is made of AG-UI's own glue, which
 * has all that the other has; a build in which that is not so fails.
 */
import { Failure } from "../lib/run.mjs";

const look = "look at what this wasm-bindgen writes";

/** The module is compiled already when the facade brings it. */
const INIT = `function initSync({ module }) {
    return __wbg_finalize_init(new WebAssembly.Instance(module, __wbg_get_imports()), module);
}
`;

/** Reads a text that the module made, and frees it. */
const TAKE_TEXT = `function takeText([ptr, len], free) {
    try {
        return getStringFromWasm0(ptr, len);
    } finally {
        free(ptr, len, 1);
    }
}
function isLikeNone(`;

/**
 * What goes: what is for people, what loads files, what the facade never asks for, and what stands in for things that
 * every browser has which can run the file at all (it needs reference types). Each must be there to be taken out.
 */
const CUTS = [
  ["comments", /^\s*(?:\/\*\*[\s\S]*?\*\/|\/\*.*\*\/|\/\/.*)\n/gm, ""],
  ["functions that load files", /^async function \w+\([\s\S]*?\n\}\n/gm, ""],
  ["initSync", /^function initSync\([\s\S]*?\n\}\n/m, INIT],
  ["the promise of a load", /^let __wbg_init_promise;\n/m, ""],
  ["exports", /^export \{[^}]*\};\n/m, ""],
  ["export", /^export /gm, ""],
  // The facade passes texts where texts are wanted: none needs to be freed because another was none.
  ["a clean-up", /try \{\n((?: +(?:ptr|len)\d = .*\n)+) +\} catch \(e\) \{\n(?: +if \(ptr\d\) .*\n)+ +throw e;\n +\}/g, "$1"],
  ["Symbol.dispose", /^if \(Symbol\.dispose\) .*\n/gm, ""],
  // It is made anew when the facade says so, at once.
  ["a scheduled renewal", /^function __wbg_call_guard\(\) \{[\s\S]*?\n\}\n/m, ""],
  ["its flag", /^ *(?:let )?__wbg_reinit_scheduled = false;\n/gm, ""],
  ["guards of a reset", /if \(typeof (?:numBytesDecoded|WASM_VECTOR_LEN) !== 'undefined'\) /g, ""],
  ["stand-ins for finalizers", /\(typeof FinalizationRegistry === 'undefined'\)\s*\? \{ register: \(\) => \{\}, unregister: \(\) => \{\} \}\s*: /g, ""],
  ["a stand-in for encodeInto", /^if \(!\('encodeInto' in cachedTextEncoder\)\) \{[\s\S]*?\n\}\n/m, ""],
  ["another way to pass a text", /^ {4}if \(realloc === undefined\) \{[\s\S]*?\n {4}\}\n/m, ""],
  // What is written out for each function, once for all.
  ["a text that is given back", /let (deferred\d)_0;\s+let \1_1;\s+try \{\s+let ret;\s+ret = (.*);\s+\1_0 = ret\[0\];\s+\1_1 = ret\[1\];\s+return getStringFromWasm0\(ret\[0\], ret\[1\]\);\s+\} finally \{\s+(wasm\.\w+)\(\1_0, \1_1, 1\);\s+\}/g, "return takeText($2, $3);"],
  ["a place for that", /^function isLikeNone\(/m, TAKE_TEXT],
  ["a function that may throw", /: function\(\) \{ return handleError\(function \((.*)\) \{\n([\s\S]*?)\n( +)\}, arguments\); \},/g, ": caught(($1) => {\n$2\n$3}),"],
  ["what catches it", /^function handleError\(f, args\) \{\n +try \{\n +return f\.apply\(this, args\);/m, "const caught = (f) => (...args) => {\n    try {\n        return f(...args);"],
  ["another function that is imported", /^( +\w+: )function\((.*)\) \{$/gm, "$1($2) => {"],
  ["a global object of old browsers", /const ret = typeof (?:global|self|window) === 'undefined' \? undefined : \w+;\n +return isLikeNone\(ret\) \? 0 : addToExternrefTable0\(ret\);/g, "return 0;"],
  ["a test for a view that is stale", /cachedDataViewMemory0 === null \|\| cachedDataViewMemory0\.buffer\.detached === true \|\| \(.*?\)(?=\) \{)/, "cachedDataViewMemory0?.buffer !== wasm.memory.buffer"],
];

/** The text without that, and without what differs between two files though it means the same. */
function plain(glue) {
  let source = glue;
  for (const [what, pattern, instead] of CUTS) {
    const cut = source.replace(pattern, instead);
    if (cut === source) throw new Failure(`the glue has no ${what}`, look);
    source = cut;
  }
  const closures = [...new Set(source.match(/\bwasm_bindgen__convert__closures_____invoke__h[0-9a-f]+\b/g))];
  for (const [index, name] of closures.entries()) source = source.replaceAll(name, `invoke${index}`);
  return source.replace(/\n{2,}/g, "\n").trim();
}

/** The function that makes it. */
export function factoryOf(glue) {
  const source = plain(glue);
  for (const part of [INIT.trim(), "class RawRuntime ", "function buildInfo(", "function __wbg_reset_state "]) {
    if (!source.includes(part)) throw new Failure(`the glue has no ${part}`, look);
  }
  for (const left of [/\b(?:export|import|await)\b(?!s)/, /\bfetch\(module/, /__wbg_(?:load|init)\b/]) {
    if (left.test(source)) throw new Failure(`the glue still has ${left}`, look);
  }
  return `/* Generated: the glue of a machine's WASM file, made anew by each call. */\nexport function makeGlue() {\n${source}\nreturn { RawRuntime, initSync, buildInfo, __wbg_reset_state };\n}\n`;
}

/** Throws unless the glue of one file serves the other: all that it has more are methods of these names. */
export function requireShared(shared, own, beyond) {
  let left = plain(shared);
  for (const method of beyond) left = left.replace(new RegExp(`^    ${method}\\([\\s\\S]*?\\n    \\}\\n`, "m"), "");
  const [lines, wanted] = [left.split("\n"), plain(own).split("\n")];
  const at = lines.findIndex((line, index) => line !== wanted[index]);
  if (at < 0 && lines.length === wanted.length) return;
  throw new Failure(
    `the glue of AG-UI's WASM file does not serve the runtime's: where that says "${wanted[at]?.trim()}", it says "${lines[at]?.trim()}"`,
    "build both; what only AG-UI exports or imports is named in scripts/build/modules.mjs",
  );
}
