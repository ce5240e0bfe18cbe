/**
 * The wasm32 standard library where toolchains may not be downloaded: Debian's own compiler, and its library built
 * once from the vendored sources that Debian ships. It writes under the compiler's sysroot, so it needs root there.
 * It must never ask rustup for a download, and never touch linker settings: an ordinary machine would break by them.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withLock } from "../lib/lock.mjs";
import { Failure, ask, job, which } from "../lib/run.mjs";
import { aptInstall, installedVersion } from "./apt.mjs";
import { hasStandardLibrary, linkedToolchain, wasmTarget } from "./wasm-env.mjs";

const packages = ["rustc-web", "cargo-web", "rust-web-llvm", "rust-web-src", "rust-web-clippy", "rustfmt-web", "lld-19"];
const rustc = "/usr/bin/rustc";
const lld = "/usr/bin/lld-19";
const stampName = "pagehand-stamp";

const sysroot = () => ask(rustc, ["--print", "sysroot"]);
const targetLibrary = (root) => join(root, "lib", "rustlib", wasmTarget, "lib");

/** Names the compiler and the sources that a built library belongs to. */
const wantedStamp = () => `${ask(rustc, ["-Vv"])}\nrust-web-src ${installedVersion("rust-web-src")}\n`;

function builtStamp(root) {
  const path = join(targetLibrary(root), stampName);
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}

function linkLinker(root) {
  const host = /^host: (.+)$/m.exec(ask(rustc, ["-Vv"]) ?? "")?.[1];
  const folder = join(root, "lib", "rustlib", host, "bin");
  if (existsSync(join(folder, "rust-lld"))) return;
  mkdirSync(folder, { recursive: true });
  symlinkSync(lld, join(folder, "rust-lld"));
}

/** Builds the library in a throw-away crate; cargo then leaves its parts in `deps`. */
async function buildLibrary(root, stamp) {
  const vendor = join(root, "lib", "rustlib", "src", "rust", "library", "vendor");
  if (!existsSync(vendor)) throw new Failure(`${vendor} is missing`, "`apt-get install --reinstall rust-web-src`");
  const seed = mkdtempSync(join(tmpdir(), "pagehand-std-"));
  try {
    mkdirSync(join(seed, "src"));
    writeFileSync(join(seed, "src", "lib.rs"), "#![no_std]\n");
    writeFileSync(join(seed, "Cargo.toml"), '[package]\nname = "seed"\nversion = "0.0.0"\nedition = "2021"\n[profile.release]\npanic = "abort"\n[workspace]\n');
    const config = ['source.crates-io.replace-with="v"', `source.v.directory='${vendor}'`].flatMap((text) => ["--config", text]);
    await job("/usr/bin/cargo", ["build", "--offline", "--release", "--target", wasmTarget, "-Zbuild-std=std,panic_abort,test", ...config], {
      log: "debian-std",
      cwd: seed,
      env: { RUSTC: rustc, RUSTC_BOOTSTRAP: "1", RUSTFLAGS: "-Cembed-bitcode=yes", CARGO_ENCODED_RUSTFLAGS: undefined, RUSTUP_TOOLCHAIN: undefined, RUSTC_WRAPPER: undefined, CARGO_TARGET_DIR: undefined, CARGO_BUILD_TARGET_DIR: undefined },
      advice: "look at the log; `apt-get install --reinstall rustc-web cargo-web rust-web-src` repairs a half-installed compiler",
    });
    const from = join(seed, "target", wasmTarget, "release", "deps");
    const to = targetLibrary(root);
    rmSync(to, { recursive: true, force: true });
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(from)) {
      if (/\.(rlib|rmeta)$/.test(name) && !/^libseed-/.test(name)) copyFileSync(join(from, name), join(to, name));
    }
    // Last, so that a copy cut short is never taken for a finished one.
    writeFileSync(join(to, stampName), stamp);
  } finally {
    rmSync(seed, { recursive: true, force: true });
  }
}

/** True when Debian's compiler, its wasm32 library and rustup's link to them are all there and belong together. */
export function debianReady() {
  if (!existsSync(rustc) || !existsSync("/usr/bin/cargo") || !existsSync(lld)) return false;
  const root = sysroot();
  return root !== null && builtStamp(root) === wantedStamp() && (!which("rustup") || hasStandardLibrary({ RUSTUP_TOOLCHAIN: linkedToolchain }));
}

/** Does whatever of it is missing. */
export async function prepareDebian() {
  await aptInstall(packages, "Debian's Rust compiler for wasm32");
  const root = sysroot();
  if (!root) throw new Failure(`${rustc} does not run`, "`apt-get install --reinstall rustc-web`");
  linkLinker(root);
  await withLock(join(tmpdir(), "pagehand-debian-std.lock"), async () => {
    const stamp = wantedStamp();
    if (builtStamp(root) !== stamp) await buildLibrary(root, stamp);
  });
  if (which("rustup")) await job("rustup", ["toolchain", "link", linkedToolchain, root], { log: "rustup-link", advice: "look at `rustup toolchain list`" });
}
