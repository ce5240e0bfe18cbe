/**
 * Builds what ships into `pkg`: every WASM file of the table, then the facade. `npm run build [NAME…]`.
 * Steps whose inputs have not changed are skipped. `--force` builds all the same; names build those WASM files alone.
 */
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { facadeStep } from "./build/facade.mjs";
import { modules } from "./build/modules.mjs";
import { buildWasm, unchanged } from "./build/wasm.mjs";
import { elapsed } from "./lib/alive.mjs";
import { withLock } from "./lib/lock.mjs";
import { at, toolsDir } from "./lib/paths.mjs";
import { Failure } from "./lib/run.mjs";
import { main, step } from "./lib/step.mjs";
import { setup } from "./setup.mjs";

/** The crate and the package are one release. */
function requireOneVersion() {
  const crate = /^version = "([^"]+)"/m.exec(readFileSync(at("Cargo.toml"), "utf8"))?.[1];
  const npm = JSON.parse(readFileSync(at("package.json"), "utf8")).version;
  if (crate !== npm) throw new Failure(`Cargo.toml says version ${crate}, package.json ${npm}`, "make them equal");
}

/** Runs `work` over items, a few at a time; the first failure is thrown when all that started have ended. */
async function pool(items, limit, work) {
  const waiting = [...items];
  const failures = [];
  const worker = async () => {
    while (waiting.length && failures.length === 0) await work(waiting.shift()).catch((error) => failures.push(error));
  };
  await Promise.all(Array.from({ length: limit }, worker));
  if (failures.length) throw failures[0];
}

const wasmStep = (names, force) => {
  const stale = names.filter((name) => force || !unchanged(name));
  return {
    title: `WASM files (${(stale.length ? stale : names).join(", ")})`,
    done: () => (stale.length ? null : "no input has changed"),
    run: () => pool(stale, Math.max(1, Math.min(cpus().length, 4)), async (name) => console.log(`    ${await buildWasm(name)}`)),
  };
};

/** Builds the named WASM files (all when none is named) and, when all are built, the facade. */
export async function build({ names = [], force = false } = {}) {
  const start = Date.now();
  const all = modules.map((one) => one.name);
  const unknown = names.find((name) => !all.includes(name));
  if (unknown) throw new Failure(`there is no WASM file named ${unknown}`, `there are ${all.join(", ")}`);
  requireOneVersion();
  await withLock(join(toolsDir, "build.lock"), async () => {
    await step(wasmStep(names.length ? names : all, force));
    if (names.length === 0) await step(facadeStep, { force });
  });
  console.log(`Build is complete (${elapsed(start)}).\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const args = process.argv.slice(2);
  await main(async () => {
    await setup(["build"], { quiet: true });
    await build({ names: args.filter((arg) => !arg.startsWith("-")), force: args.includes("--force") });
  });
}
