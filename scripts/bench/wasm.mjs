/**
 * Builds the benchmark's own WASM file: the runtime's, made by the same steps and flags, with a few exports more that
 * feed its parser with bytes. One that is as it ships, one without SIMD, one compiled for speed.
 * They go to `.tools/out/bench`, never to `pkg`, and are built anew only when an input has changed.
 */
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { namedAlike, simd, strip, thorough } from "../build/wasm.mjs";
import { filesUnder, hashOf, readStamp, writeStamp } from "../lib/inputs.mjs";
import { at, npmBin, outDir, targetDir } from "../lib/paths.mjs";
import { ask, job } from "../lib/run.mjs";
import { bindgenCommand } from "../setup/cargo-tools.mjs";
import { wasmEnvironment, wasmTarget } from "../setup/wasm-env.mjs";

export const benchDir = join(outDir, "bench");

/** Each variant: compiler flags beyond those of what ships, cargo's settings, and what the optimiser does. */
export const variants = {
  shipped: { rustflags: simd, env: {}, optimise: thorough },
  plain: { rustflags: [], env: {}, optimise: thorough },
  speed: { rustflags: simd, env: { CARGO_PROFILE_RELEASE_OPT_LEVEL: "3" }, optimise: ["-O3"] },
};

const sources = () => [...filesUnder(at("src"), (file) => file.endsWith(".rs")), at("Cargo.toml"), at("Cargo.lock"), at("scripts", "bench", "wasm.mjs")];

async function buildOne(name) {
  const { rustflags, env: settings, optimise } = variants[name];
  const folder = join(benchDir, name);
  const stamp = join(folder, "stamp.json");
  const facts = [ask("rustc", ["-Vv"], { env: { ...process.env, ...wasmEnvironment() } }), rustflags, settings, optimise, strip];
  const inputs = hashOf(sources(), facts);
  if (existsSync(join(folder, "bench_bg.wasm")) && readStamp(stamp)?.inputs === inputs) return;
  console.log(`▸ the benchmark's WASM file, ${name}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // A target folder for each set of flags, so that none rebuilds what another has.
  const target = join(targetDir, name === "shipped" ? "ship" : `bench-${name}`);
  const made = join(target, wasmTarget, "release", "pagehand.wasm");
  for (const stale of [made, join(target, wasmTarget, "release", "deps", "pagehand.wasm")]) rmSync(stale, { force: true });
  await job("cargo", ["rustc", "--release", "--lib", "--crate-type", "cdylib", "--target", wasmTarget, "--no-default-features", "--features", "bench"], {
    log: `bench-${name}-cargo`,
    label: `bench ${name}`,
    env: { ...wasmEnvironment(), ...settings, ...namedAlike(rustflags), CARGO_TARGET_DIR: target },
  });
  const linked = join(folder, "linked.wasm");
  copyFileSync(made, linked);
  await job(bindgenCommand(), ["--target", "web", "--omit-default-module-path", "--out-dir", folder, "--out-name", "bench", linked], { log: `bench-${name}-bindgen`, label: name, env: wasmEnvironment() });
  const ready = join(folder, "bench_bg.wasm");
  // With names: a profile must be able to say where the time went.
  const named = strip.filter((flag) => flag !== "--strip-debug");
  await job(join(npmBin, "wasm-opt"), [ready, ...optimise, "-g", ...named, "-o", ready], { log: `bench-${name}-opt`, label: name, env: wasmEnvironment() });
  writeStamp(stamp, { inputs });
}

/** Builds all variants, or those that are named. */
export async function buildBenchWasm(names = Object.keys(variants)) {
  for (const name of names) await buildOne(name);
}
