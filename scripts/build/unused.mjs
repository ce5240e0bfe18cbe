/**
 * Takes the bodies out of functions that a module never calls, but that its tables of methods hold, so that the
 * compiler and the optimiser must keep them and all that they call.
 * It guesses nothing: which functions those are stands in modules.mjs, with the names that must be gone once they
 * are empty: their callers. A function that is called all the same would trap, and never give a wrong answer.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { Failure } from "../lib/run.mjs";

/** Empties the functions whose names match; the file keeps its names, and must have been built with them. */
export async function emptyUnused(file, { bodies }) {
  // Not before: this file is read where no package is installed yet.
  const { default: binaryen } = await import("binaryen");
  binaryen.setDebugInfo(true);
  const module = binaryen.readBinary(readFileSync(file));
  let emptied = 0;
  for (let index = 0; index < module.getNumFunctions(); index += 1) {
    const one = module.getFunctionByIndex(index);
    if (!bodies.test(binaryen.getFunctionInfo(one).name)) continue;
    binaryen.Function(one).body = module.unreachable();
    emptied += 1;
  }
  if (emptied === 0) throw new Failure(`${file} has no function named like ${bodies}`, "look at how the compiler names them now, or take the entry out of scripts/build/modules.mjs");
  writeFileSync(file, module.emitBinary());
  module.dispose();
}

/** Refuses a module in which something still stands that would call what was emptied. `names` is wasm-opt's map. */
export function requireNoCallers(names, { callers }) {
  const left = readFileSync(names, "utf8").split("\n").find((line) => callers.test(line));
  if (left) throw new Failure(`the module still holds ${left}`, "what was taken for unused is used: take the entry out of scripts/build/modules.mjs");
}
