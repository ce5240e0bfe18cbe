/**
 * Makes a machine ready: `npm run setup`, and the first part of `npm start` and `npm test`.
 * It needs Node and, for the ordinary way, rustup; it has no npm dependencies, since it installs them.
 * Every step is skipped in milliseconds when there is nothing to do. Parts: build, browser, fuzz, test (all by default).
 */
import { pathToFileURL } from "node:url";
import { elapsed } from "./lib/alive.mjs";
import { main, step } from "./lib/step.mjs";
import { browserStep, driverStep } from "./setup/browser.mjs";
import { bindgenStep, wasmPackStep } from "./setup/cargo-tools.mjs";
import { linkerStep, plusStep } from "./setup/compiler.mjs";
import { nodeStep, npmStep } from "./setup/npm.mjs";
import { requireCargo, wasmTargetStep } from "./setup/wasm-target.mjs";

const parts = {
  build: [nodeStep, npmStep, linkerStep, wasmTargetStep, bindgenStep],
  browser: [browserStep],
  fuzz: [plusStep],
  test: [browserStep, driverStep, wasmPackStep],
};

/** Runs the named parts, each step once; `quiet` tells only of steps that had something to do. */
export async function setup(names = Object.keys(parts), options = {}) {
  const start = Date.now();
  const unknown = names.find((name) => !parts[name]);
  if (unknown) throw new Error(`no part named ${unknown}; there are ${Object.keys(parts).join(", ")}`);
  requireCargo();
  const steps = [...new Set(names.flatMap((name) => parts[name]))];
  let worked = false;
  for (const one of steps) worked = (await step(one, options)) || worked;
  if (worked || !options.quiet) console.log(`Set-up is complete (${elapsed(start)}).\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(() => setup(process.argv.slice(2).length ? process.argv.slice(2) : undefined));
}
