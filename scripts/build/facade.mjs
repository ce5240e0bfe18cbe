/**
 * Compiles the typed facade: `tsc` over `src/js` into `pkg`, then `scripts/bundle.mjs` where there is one.
 * It runs after the WASM files, whose generated types the facade is checked against.
 * What an earlier compile emitted and this one does not is removed, so that nothing stale ships.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { filesUnder, hashOf, readStamp, writeStamp } from "../lib/inputs.mjs";
import { at, npmBin, outDir, pkgDir, root } from "../lib/paths.mjs";
import { Failure, job } from "../lib/run.mjs";
import { modules } from "./modules.mjs";
import { requireShared } from "./shared-glue.mjs";

const config = at("src", "js", "tsconfig.json");
const bundler = at("scripts", "bundle.mjs");
const stamp = join(outDir, "facade.json");

const glue = (name) => readFileSync(join(pkgDir, "wasm", `${name}.js`), "utf8");

const inputs = () => [
  ...filesUnder(at("src", "js")),
  ...filesUnder(join(pkgDir, "wasm"), (file) => file.endsWith(".d.ts") || file.endsWith(".js")),
  ...filesUnder(at("scripts", "build")),
  ...filesUnder(at("scripts"), (file) => file === bundler),
  at("package-lock.json"),
];

function done() {
  const known = readStamp(stamp);
  if (!known) return null;
  const emitted = known.emitted.map((file) => resolve(root, file));
  return known.inputs === hashOf(inputs()) && known.outputs === hashOf(emitted) ? "no input has changed" : null;
}

async function run() {
  if (!existsSync(config)) throw new Failure("src/js/tsconfig.json is missing", "the facade's sources are part of the repository: check it out again");
  for (const { name, shared, beyond } of modules.filter((one) => one.shared)) requireShared(glue(name), glue(shared), beyond);
  const before = hashOf(inputs());
  const old = readStamp(stamp)?.emitted ?? [];
  rmSync(stamp, { force: true });
  const output = await job(join(npmBin, "tsc"), ["-p", config, "--listEmittedFiles", "--pretty", "false"], { log: "build-facade", label: "tsc", advice: "mend the type errors above" });
  const emitted = [...output.matchAll(/^TSFILE: (.+)$/gm)].map((match) => match[1].trim());
  if (emitted.length === 0) throw new Failure("tsc emitted nothing", "look at src/js/tsconfig.json");
  for (const file of old) if (!emitted.includes(file)) rmSync(resolve(root, file), { force: true });
  if (existsSync(bundler)) {
    const { bundle } = await import(pathToFileURL(bundler).href);
    await bundle();
  }
  writeStamp(stamp, { emitted, inputs: before, outputs: hashOf(emitted.map((file) => resolve(root, file))) });
  return `${emitted.filter((file) => file.endsWith(".js")).length} JavaScript files`;
}

export const facadeStep = { title: "facade (TypeScript)", done, run };
