/**
 * Prints what a shipped WASM file is made of, by crate and by our own module, so that a cut can be aimed:
 * `npm run bytes -- [NAME] [--depth N] [--in PATH] [--functions N]`. It reads what was built and changes nothing.
 * Whose a function is, bytes/owner.mjs says; how the gzip column is estimated, bytes/groups.mjs.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { modules } from "./build/modules.mjs";
import { belongs } from "./build/wasm.mjs";
import { dissect } from "./bytes/dissect.mjs";
import { grouped, named, within } from "./bytes/groups.mjs";
import { namesOf } from "./bytes/names.mjs";
import { pkgDir } from "./lib/paths.mjs";
import { Failure } from "./lib/run.mjs";
import { main } from "./lib/step.mjs";

const usage = "npm run bytes -- [NAME] [--depth N] [--in pagehand::runtime] [--functions N]";
const ours = "pagehand";

function asked() {
  const options = { depth: { type: "string", default: "3" }, in: { type: "string", default: "" }, functions: { type: "string", default: "0" } };
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    return { name: positionals[0] ?? "runtime", depth: Number(values.depth), module: values.in, most: Number(values.functions) };
  } catch (error) {
    throw new Failure(error.message, usage);
  }
}

const packed = (bytes) => gzipSync(bytes, { level: 9 }).length;
const cell = (value, width = 9) => value.toLocaleString("en-US").padStart(width);
const share = (part, whole) => `${((part / whole) * 100).toFixed(1)} %`.padStart(8);

function printSections(sections, bytes) {
  console.log(`${cell("bytes")} ${cell("alone, gz")}  section`);
  for (const { kind, size, content } of sections) console.log(`${cell(size)} ${cell(packed(content))}  ${kind}`);
  console.log(`${cell(bytes.length)} ${cell(packed(bytes))}  the file\n`);
}

function printGroups(groups, all, title) {
  console.log(`${cell("bytes")} ${"share".padStart(8)} ${cell("gz, about")} ${cell("functions")}  ${title}`);
  for (const { path, raw, gzip, count } of groups) console.log(`${cell(raw)} ${share(raw, all)} ${cell(gzip)} ${cell(count)}  ${path}`);
  console.log();
}

function print() {
  const { name, depth, module, most } = asked();
  const known = modules.map((one) => one.name);
  if (!known.includes(name)) throw new Failure(`there is no WASM file named ${name}`, `there are ${known.join(", ")}`);
  const file = join(pkgDir, "wasm", `${name}_bg.wasm`);
  if (!existsSync(file)) throw new Failure(`${name} is not built`, `\`npm run build -- ${name}\``);
  const bytes = readFileSync(file);
  const parts = dissect(bytes);
  const names = namesOf(name);
  if (!belongs(name) || names.size !== parts.imported + parts.functions.length) console.log(`✗ The names are of another build than ${name}_bg.wasm: what follows is wrong. \`npm run build -- ${name} --force\` mends it.\n`);

  const functions = named(parts, names);
  const code = parts.sections.find((one) => one.kind === "code");
  // What the code takes of the compressed file: by what the file is with and without it.
  const whole = packed(bytes) - packed(Buffer.concat(parts.sections.filter((one) => one !== code).map((one) => one.content)));
  if (!module) printSections(parts.sections, bytes);
  const wanted = (group) => within(group.path.split("::"), module);
  if (!module) printGroups(grouped(functions, () => 1, whole), code.size, "crate");
  const inside = (path) => (module || path[0] === ours ? Math.max(depth, module.split("::").length) : 1);
  printGroups(grouped(functions, inside, whole).filter((group) => (module ? wanted(group) : group.path.startsWith(ours))), code.size, module ? `in ${module}` : "our modules");
  if (!most) return;
  const largest = functions.filter((one) => within(one.path, module)).sort((left, right) => right.bytes.length - left.bytes.length);
  console.log(`${cell("bytes")}  function`);
  for (const one of largest.slice(0, most)) console.log(`${cell(one.bytes.length)}  ${one.name}`);
}

await main(print);
