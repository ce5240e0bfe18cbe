/**
 * The step that makes wasm32 buildable. One place decides which way, and says which and why:
 * the active toolchain has it; or downloads are off, so Debian's compiler; or rustup adds it.
 */
import { job, which, Failure } from "../lib/run.mjs";
import { debianReady, prepareDebian } from "./debian-std.mjs";
import { downloadsOff, hasStandardLibrary, linkedToolchain, wasmTarget } from "./wasm-env.mjs";

function done() {
  if (!which("cargo") && !which("rustup")) return null;
  if (hasStandardLibrary()) return "the active toolchain has it";
  return downloadsOff() && debianReady() ? `Debian's compiler has it (toolchain ${linkedToolchain})` : null;
}

async function run() {
  if (downloadsOff()) {
    const why = which("rustup") ? "RUSTUP_AUTO_INSTALL=0 says that toolchains may not be downloaded" : "there is no rustup here";
    console.log(`    ${why}: taking Debian's compiler and building its wasm32 library (a minute or two, once)`);
    await prepareDebian();
    return;
  }
  console.log("    adding it to the active toolchain with rustup");
  await job("rustup", ["target", "add", wasmTarget], { log: "rustup-target", advice: "see whether this machine may download toolchains; set RUSTUP_AUTO_INSTALL=0 to take Debian's compiler instead" });
}

export const wasmTargetStep = {
  title: `Rust standard library for ${wasmTarget}`,
  done,
  run,
  verify: () => (done() || hasStandardLibrary() ? null : "it is still missing"),
};

/** The host's cargo is the one thing that the set-up does not install. */
export function requireCargo() {
  if (!which("cargo") && !downloadsOff()) throw new Failure("there is no cargo on PATH", "install Rust with rustup");
}
