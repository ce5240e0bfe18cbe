/**
 * Which Rust builds for wasm32 here: the active toolchain where it has the library, else the one linked from Debian.
 * It only looks. Whoever runs cargo for wasm32 takes the environment from here, and the host steps never do.
 */
import { existsSync, readdirSync } from "node:fs";
import { delimiter } from "node:path";
import { npmBin, toolsBin } from "../lib/paths.mjs";
import { Failure, ask, which } from "../lib/run.mjs";

export const wasmTarget = "wasm32-unknown-unknown";
export const linkedToolchain = "debian-wasm";

/** Whether rustc, under this environment, has a standard library for wasm32: asked of the files, not of rustup. */
export function hasStandardLibrary(environment = {}) {
  const folder = ask("rustc", ["--print", "target-libdir", "--target", wasmTarget], { env: { ...process.env, ...environment } });
  return folder !== null && existsSync(folder) && readdirSync(folder).some((name) => /^libstd-.*\.rlib$/.test(name));
}

/** Toolchain downloads are off when the environment says so: this is never overridden. */
export const downloadsOff = () => process.env.RUSTUP_AUTO_INSTALL === "0" || !which("rustup");

let known;

/** The environment for wasm32 steps: the toolchain, and our own tools first on PATH. */
export function wasmEnvironment() {
  if (known) return known;
  const PATH = [toolsBin, npmBin, process.env.PATH].join(delimiter);
  const choices = [{}, ...(which("rustup") ? [{ RUSTUP_TOOLCHAIN: linkedToolchain }] : [])];
  const choice = choices.find(hasStandardLibrary);
  if (!choice) throw new Failure("no Rust toolchain here has a standard library for wasm32", "`npm run setup`");
  known = { ...choice, PATH };
  return known;
}
