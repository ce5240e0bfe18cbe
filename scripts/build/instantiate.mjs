/**
 * Runs a built WASM file once, through its own glue, in a process of its own: `instantiate.mjs FOLDER NAME`.
 * Exits non-zero when the module does not compile, does not link, or traps at its start.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, name] = process.argv.slice(2);
const module = await WebAssembly.compile(await readFile(join(folder, `${name}_bg.wasm`)));
const source = await readFile(join(folder, `${name}.js`));
// By a data URL, so that the glue counts as an ES module whatever package.json is near.
const glue = await import(source.includes("from './") ? pathToFileURL(join(folder, `${name}.js`)).href : `data:text/javascript;base64,${source.toString("base64")}`);
const exports = await glue.default({ module_or_path: module });
if (!(exports.memory instanceof WebAssembly.Memory)) throw new Error(`${name} has no memory`);
console.log(`${name}: ${WebAssembly.Module.exports(module).length} exports, instantiated`);
