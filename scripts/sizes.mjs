/**
 * Prints what users download (raw, gzip -9, brotli) and fails above a budget: `npm run sizes`, and a stage of `npm test`.
 * WASM files are measured as they ship. JavaScript is measured as an app ships it: an entry's graph, bundled and
 * minified by esbuild, so that splitting a source file costs nothing. Budgets are in budgets.json.
 */
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { modules } from "./build/modules.mjs";
import { filesUnder } from "./lib/inputs.mjs";
import { at, pkgDir, root } from "./lib/paths.mjs";
import { Failure } from "./lib/run.mjs";
import { main } from "./lib/step.mjs";

const add = (left, right) => ({ raw: left.raw + right.raw, gzip: left.gzip + right.gzip, brotli: left.brotli + right.brotli });
const nothing = { raw: 0, gzip: 0, brotli: 0 };

/** The three sizes of some bytes. */
export function measure(bytes) {
  return {
    raw: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }).length,
  };
}

/** The package's JavaScript entries: export name to file. */
function entries() {
  const { exports } = JSON.parse(readFileSync(at("package.json"), "utf8"));
  return Object.entries(exports)
    .filter(([, target]) => target.default?.endsWith(".js"))
    .map(([name, target]) => ({ name: name === "." ? "pagehand" : `pagehand${name.slice(1)}`, file: at(target.default) }));
}

/**
 * What one entry brings with it, each chunk as its own download. Static imports come at once; what is imported
 * later counts only where `later(inputs)` says so.
 */
async function graph(file, later = () => false) {
  const { build } = await import("esbuild");
  const options = { bundle: true, minify: true, splitting: true, format: "esm", write: false, metafile: true, platform: "neutral", logLevel: "silent" };
  const made = await build({ ...options, entryPoints: [file], outdir: "out", absWorkingDir: root, external: ["node:*", "*.wasm"] });
  const outputs = made.metafile.outputs;
  // What is imported later is an entry point too, of its own.
  const start = Object.keys(outputs).find((path) => outputs[path].entryPoint === relative(root, file));
  const seen = new Set([start]);
  for (const path of seen) {
    for (const { path: next, kind } of outputs[path].imports) {
      if (outputs[next] && (kind === "import-statement" || later(Object.keys(outputs[next].inputs)))) seen.add(next);
    }
  }
  const bytes = [...seen].map((path) => made.outputFiles.find((one) => one.path.endsWith(path)).contents);
  return bytes.map(measure).reduce(add, nothing);
}

/** Everything measured: the rows to print, and the ones that have a budget. */
async function rows() {
  const wasm = {};
  for (const { name } of modules) {
    const path = join(pkgDir, "wasm", `${name}_bg.wasm`);
    if (existsSync(path)) wasm[name] = measure(readFileSync(path));
  }
  const list = Object.entries(wasm).map(([name, sizes]) => ({ what: `wasm/${name}_bg.wasm`, sizes, budget: name }));
  for (const path of filesUnder(pkgDir, (file) => file.endsWith(".js"))) {
    list.push({ what: path.slice(pkgDir.length + 1), sizes: measure(readFileSync(path)) });
  }
  for (const { name, file } of entries()) {
    if (!existsSync(file)) throw new Failure(`${name} is in package.json, but ${file} is not built`, "`npm run build`");
    list.push({ what: `${name} (minified graph)`, sizes: await graph(file), budget: name });
  }
  // What a page needs before createRuntime() resolves, however the facade reaches the generated glue.
  const first = (...files) => graph(entries()[0].file, (inputs) => files.some((file) => inputs.some((input) => input.endsWith(file))));
  const facade = await first("wasm/machine.js");
  const agUi = await first("wasm/machine.js", "pkg/ag-ui.js");
  list.push({ what: "facade: JavaScript of the first load", sizes: facade, budget: "facade" });
  list.push({ what: "first load: facade and runtime WASM", sizes: add(facade, wasm.runtime ?? nothing), budget: "first load" });
  list.push({ what: "first load over AG-UI: facade, its AG-UI part, AG-UI WASM", sizes: add(agUi, wasm.ag_ui ?? nothing), budget: "first load over AG-UI" });
  const missing = modules.filter(({ name }) => !wasm[name]).map(({ name }) => `${name}_bg.wasm`);
  return { list, missing };
}

/** Prints the table; throws when a budget is broken. */
export async function sizes() {
  const budgets = JSON.parse(readFileSync(at("scripts", "budgets.json"), "utf8"));
  const { list, missing } = await rows();
  const width = Math.max(...list.map((row) => row.what.length));
  const cell = (number) => number.toLocaleString("en-US").padStart(11);
  console.log(`${"bytes".padEnd(width)} ${"raw".padStart(11)} ${"gzip -9".padStart(11)} ${"brotli".padStart(11)}  budget (gzip)`);
  const broken = [];
  for (const { what, sizes: found, budget } of list) {
    const limit = budgets[budget];
    const verdict = !limit ? "" : found.gzip > limit.fails ? `✗ over ${limit.fails.toLocaleString("en-US")}` : `✓ under ${limit.fails.toLocaleString("en-US")}${found.gzip > limit.aim ? `, aim ${limit.aim.toLocaleString("en-US")}` : ", aim met"}`;
    console.log(`${what.padEnd(width)} ${cell(found.raw)} ${cell(found.gzip)} ${cell(found.brotli)}  ${verdict}`.trimEnd());
    if (limit && found.gzip > limit.fails) broken.push(`${what}: ${found.gzip} bytes, ${found.gzip - limit.fails} over`);
  }
  if (missing.length) throw new Failure(`not built, and so not measured: ${missing.join(", ")}`, "`npm run build`");
  if (broken.length) throw new Failure(`over budget: ${broken.join("; ")}`, "make it smaller; `npm run bytes -- NAME` shows what a WASM file is made of");
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(sizes);
