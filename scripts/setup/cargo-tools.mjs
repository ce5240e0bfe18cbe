/**
 * The steps that build command-line tools from crates into `.tools`: the wasm-bindgen pair and wasm-pack.
 * The wasm-bindgen command must be exactly the library's version, since both share an unversioned format.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { withLock } from "../lib/lock.mjs";
import { at, targetDir, toolsBin, toolsDir } from "../lib/paths.mjs";
import { Failure, ask, job } from "../lib/run.mjs";

const wasmPackVersion = "0.15.1";
const bindgenCrate = at("tools", "wasm-bindgen-cli");
const quickProfile = { CARGO_PROFILE_RELEASE_OPT_LEVEL: "1", CARGO_PROFILE_RELEASE_LTO: "off", CARGO_PROFILE_RELEASE_CODEGEN_UNITS: "16", CARGO_PROFILE_RELEASE_DEBUG: "0" };
const lock = join(toolsDir, "cargo-tools.lock");

/** The version that a lock file holds of a crate. */
export function lockedVersion(name, path = at("Cargo.lock")) {
  const found = new RegExp(`name = "${name}"\\nversion = "([^"]+)"`).exec(readFileSync(path, "utf8"));
  if (!found) throw new Failure(`${path} holds no ${name}`, "run `cargo update --workspace` and commit Cargo.lock");
  return found[1];
}

function bindgenVersion() {
  const wanted = lockedVersion("wasm-bindgen");
  const pinned = lockedVersion("wasm-bindgen-cli", join(bindgenCrate, "Cargo.lock"));
  if (wanted !== pinned) {
    throw new Failure(`Cargo.lock has wasm-bindgen ${wanted}, tools/wasm-bindgen-cli has ${pinned}`, `set both versions in tools/wasm-bindgen-cli/Cargo.toml to ${wanted}, then \`cargo update --manifest-path tools/wasm-bindgen-cli/Cargo.toml\``);
  }
  return wanted;
}

/** The version that a tool under `.tools` says it has, or null. */
function toolVersion(name) {
  const path = join(toolsBin, name);
  return existsSync(path) ? (ask(path, ["--version"])?.split(/\s+/).pop() ?? null) : null;
}

const install = (args, log, advice) =>
  withLock(lock, () =>
    job("cargo", ["install", "--locked", "--force", "--no-track", "--root", toolsDir, ...args], {
      log,
      // A target folder of its own: these crates share nothing with ours, and keeping it makes an upgrade quick.
      // Tools that run for seconds: compile time counts for more than their speed.
      env: { CARGO_TARGET_DIR: join(targetDir, "tools"), RUSTFLAGS: undefined, ...quickProfile },
      advice,
    }),
  );

export const bindgenStep = {
  title: "wasm-bindgen and its test runner",
  done() {
    const wanted = bindgenVersion();
    return ["wasm-bindgen", "wasm-bindgen-test-runner"].every((name) => toolVersion(name) === wanted) ? `${wanted} is there` : null;
  },
  async run() {
    console.log(`    building ${bindgenVersion()}, the version in Cargo.lock (about a minute, once)`);
    await install(["--path", bindgenCrate], "wasm-bindgen-cli", "see whether cargo reaches its registry and a C compiler (`cc`) is installed");
  },
  verify: () => (toolVersion("wasm-bindgen") === bindgenVersion() ? null : `the built tool says ${toolVersion("wasm-bindgen")}`),
};

export const wasmPackStep = {
  title: `wasm-pack ${wasmPackVersion}`,
  done: () => (toolVersion("wasm-pack") === wasmPackVersion ? "is there" : null),
  async run() {
    console.log("    building it (two or three minutes, once)");
    await install(["wasm-pack", "--version", wasmPackVersion], "wasm-pack", "see whether cargo reaches its registry and a C compiler (`cc`) is installed");
  },
  verify: () => (toolVersion("wasm-pack") === wasmPackVersion ? null : `the built tool says ${toolVersion("wasm-pack")}`),
};

/** The wasm-bindgen command to use: refuses any version but the library's. */
export function bindgenCommand() {
  const wanted = bindgenVersion();
  const found = toolVersion("wasm-bindgen");
  if (found !== wanted) throw new Failure(`wasm-bindgen ${wanted} is needed, ${found ?? "none"} is in .tools/bin`, "`npm run setup`");
  return join(toolsBin, "wasm-bindgen");
}
