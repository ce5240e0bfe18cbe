/**
 * What a WASM file is made of: `node scripts/sizes-of.mjs NAME [COUNT]` lists its sections and largest functions, by
 * the names that the build kept aside. For finding what to cut when a budget is broken; it changes nothing.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { outDir, pkgDir } from "./lib/paths.mjs";
import { Failure } from "./lib/run.mjs";
import { main } from "./lib/step.mjs";

const sectionNames = ["custom", "type", "import", "function", "table", "memory", "global", "export", "start", "element", "code", "data", "data count", "tag"];
const codeSection = 10;

/** Reads a module's sections, the sizes of its functions, and how many functions it imports. */
export function dissect(bytes) {
  let at = 8;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  const sections = [];
  const functions = [];
  while (at < bytes.length) {
    const id = bytes[at++];
    const size = number();
    const end = at + size;
    sections.push({ id, name: sectionNames[id] ?? String(id), size });
    if (id === codeSection) {
      for (let left = number(); left > 0; left--) {
        const length = number();
        functions.push(length);
        at += length;
      }
    }
    at = end;
  }
  return { sections, functions };
}

/** Index to demangled name, as wasm-opt's symbol map has them. */
function readNames(name) {
  const lines = readFileSync(join(outDir, name, "names.txt"), "utf8").split("\n");
  return new Map(lines.map((line) => [Number.parseInt(line, 10), line.slice(line.indexOf(":") + 1).replaceAll(/\\([0-9a-f]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))]));
}

if (process.argv[1]?.endsWith("sizes-of.mjs")) {
  await main(async () => {
    const [name, count = "40"] = process.argv.slice(2);
    if (!name) throw new Failure("which WASM file?", "node scripts/sizes-of.mjs runtime");
    const bytes = readFileSync(join(pkgDir, "wasm", `${name}_bg.wasm`));
    const { sections, functions } = dissect(bytes);
    const imported = WebAssembly.Module.imports(new WebAssembly.Module(bytes)).filter((one) => one.kind === "function").length;
    const names = readNames(name);
    for (const section of sections) console.log(`${String(section.size).padStart(9)}  section ${section.name}`);
    const largest = functions.map((size, index) => ({ size, name: names.get(index + imported) ?? "?" })).sort((left, right) => right.size - left.size);
    for (const one of largest.slice(0, Number(count))) console.log(`${String(one.size).padStart(9)}  ${one.name}`);
    const crates = new Map();
    for (const one of largest) {
      const crate = /(?:^|[<&\s(])([a-z_][a-z0-9_]*)(?:\[[0-9a-f]+\])?::/.exec(one.name)?.[1] ?? "(other)";
      crates.set(crate, (crates.get(crate) ?? 0) + one.size);
    }
    console.log("\nby the first crate in the name:");
    for (const [crate, size] of [...crates].sort((left, right) => right[1] - left[1]).slice(0, 15)) console.log(`${String(size).padStart(9)}  ${crate}`);
  });
}
