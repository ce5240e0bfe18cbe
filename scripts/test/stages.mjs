/**
 * What `npm test` runs, cheapest first. A stage is `{ name, group, title, needs, run, missing? }`:
 * `needs` names parts of the set-up, `run()` resolves to a count of tests (or nothing), and `missing()` says which of
 * its files are not there. Stages hold no tests; they start the runners and read their counts.
 */
import { existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "../build.mjs";
import { modules } from "../build/modules.mjs";
import { filesUnder } from "../lib/inputs.mjs";
import { at, npmBin, outDir, root, targetDir } from "../lib/paths.mjs";
import { job } from "../lib/run.mjs";
import { chromePath, driverPath } from "../setup/browser.mjs";
import { wasmEnvironment, wasmTarget } from "../setup/wasm-env.mjs";
import { sizes } from "../sizes.mjs";
import { countCargo, countNode, countVitest, failedFiles, plus } from "./count.mjs";

const locked = process.env.CI ? ["--locked"] : [];
const denied = ["--", "-D", "warnings"];
const installLints = "`rustup component add clippy rustfmt`, where toolchains may be downloaded";
/** Beside the host's target folder, so that the two toolchains never undo each other's work. */
const wasmTargetDir = join(targetDir, "wasm");

const cargo = (args, options) => job("cargo", args, { echo: true, ...options });
const wasmCargo = (args, options) => cargo(args, { env: { ...wasmEnvironment(), CARGO_TARGET_DIR: wasmTargetDir }, ...options });
const featureFlags = (name) => ["--target", wasmTarget, "--no-default-features", "--features", name];

const webTests = () => (existsSync(at("tests")) ? readdirSync(at("tests")) : []).filter((file) => /^web(_\w+)?\.rs$/.test(file)).map((file) => file.slice(0, -3));
const browserTests = () => filesUnder(at("tests", "browser"), (file) => file.endsWith(".test.mjs"));
const scriptTests = () => filesUnder(at("scripts"), (file) => file.endsWith(".test.mjs"));
const nodeTests = () => filesUnder(at("tests"), (file) => file.endsWith(".test.mjs") && !file.startsWith(at("tests", "browser")));
const typeTests = at("tests", "types", "tsconfig.json");

async function wasmPack() {
  const tests = webTests().flatMap((name) => ["--test", name]);
  // The crate's default features: the tests may use everything that ships.
  const args = ["test", "--mode", "no-install", "--headless", "--chrome", "--chromedriver", driverPath(), ".", ...locked, ...tests];
  const env = { ...wasmEnvironment(), CARGO_TARGET_DIR: wasmTargetDir, WASM_BINDGEN_TEST_TIMEOUT: "120" };
  return countCargo(await job("wasm-pack", args, { log: "test-wasm-pack", echo: true, env, timeoutMs: 1_200_000, advice: "run `npm test -- wasm-pack` alone; a driver must match its browser" }));
}

async function vitest() {
  const report = join(outDir, "vitest.json");
  rmSync(report, { force: true });
  await job(join(npmBin, "vitest"), ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`], { log: "test-vitest", echo: true, timeoutMs: 900_000 });
  return countVitest(JSON.parse(readFileSync(report, "utf8")));
}

/** Node's own runner, one file at a time: a test that starts a browser or a server must not wait for another's. */
async function nodeRunner(log, files, env = {}) {
  const args = ["--test", "--test-reporter=spec", "--test-concurrency=1", ...files];
  return countNode(await job(process.execPath, args, { log, echo: true, env: { FORCE_COLOR: "0", ...env }, timeoutMs: 1_800_000 }));
}

/**
 * Browsers on a machine that is busy with something else lose races that they never lose alone. So files with a test
 * that failed run once more, by themselves, and what fails then has failed; what does not is listed as unsteady.
 */
async function browser() {
  const env = { CHROME: chromePath() };
  try {
    return await nodeRunner("test-browser", browserTests(), env);
  } catch (failure) {
    const files = failedFiles(failure.output ?? "");
    if (files.length === 0 || files.length > 3) throw failure;
    console.log(`\n━━ browser: once more, alone: ${files.join(", ")}`);
    await nodeRunner("test-browser-again", files.map((file) => at(file)), env);
    const { passed, failed, skipped } = countNode(failure.output);
    console.log(`━━ browser: unsteady, ${failed} failed at first and passed alone: ${files.join(", ")}`);
    return { passed: passed + failed, failed: 0, skipped };
  }
}

/** The library once for each feature that ships, the crates it is linked with, and the browser tests. */
async function clippyWasm() {
  for (const { name, workspace } of modules) {
    await wasmCargo(["clippy", ...locked, "--lib", ...featureFlags(name), ...denied], { log: `test-clippy-${name}` });
    if (workspace) await wasmCargo(["clippy", ...locked, "--workspace", "--target", wasmTarget, "--manifest-path", join(workspace, "Cargo.toml"), ...denied], { log: `test-clippy-${name}-link` });
  }
  // What only the benchmark's own file has.
  await wasmCargo(["clippy", ...locked, "--lib", ...featureFlags("bench"), ...denied], { log: "test-clippy-bench" });
  const tests = webTests().flatMap((name) => ["--test", name]);
  if (tests.length) await wasmCargo(["clippy", ...locked, "--target", wasmTarget, ...tests, ...denied], { log: "test-clippy-web" });
}

const fuzzManifest = () => [at("tests", "fuzz", "Cargo.toml"), at("fuzz", "Cargo.toml")].find(existsSync);

/** The main crate, the private ones under `tools`, and the fuzz targets. */
async function rustfmt() {
  const tools = filesUnder(at("tools"), (file) => /tools\/[^/]+\/Cargo\.toml$/.test(file));
  for (const manifest of [at("Cargo.toml"), ...tools, fuzzManifest()].filter(Boolean)) {
    const path = relative(root, manifest);
    await cargo(["fmt", "--all", "--check", "--manifest-path", path], { log: "test-rustfmt", advice: `\`cargo fmt --all --manifest-path ${path}\`; if rustfmt itself is missing, ${installLints}` });
  }
}

export const stages = [
  { name: "scripts", group: "js", title: "the scripts' own tests", needs: ["build"], run: () => nodeRunner("test-scripts", scriptTests()), counts: true },
  { name: "rustfmt", group: "rust", title: "rustfmt", needs: [], run: rustfmt },
  { name: "clippy", group: "rust", title: "clippy on the host", needs: [], run: () => cargo(["clippy", ...locked, "--all-targets", ...denied], { log: "test-clippy", advice: `mend the lints above; if clippy itself is missing, ${installLints}` }) },
  { name: "clippy-wasm", group: "rust", title: "clippy for wasm32, each feature that ships", needs: ["build"], run: clippyWasm },
  { name: "cargo", group: "rust", title: "cargo test", needs: [], run: async () => countCargo(await cargo(["test", ...locked, "--no-fail-fast"], { log: "test-cargo" })), counts: true },
  { name: "fuzz", group: "rust", title: "fuzz targets build", needs: ["fuzz"], missing: () => (fuzzManifest() ? null : "tests/fuzz/Cargo.toml"), run: () => cargo(["check", "--manifest-path", fuzzManifest(), "--bins"], { log: "test-fuzz", env: { CARGO_TARGET_DIR: join(targetDir, "fuzz") } }) },
  { name: "build", group: "build", title: "build of what ships", needs: ["build"], run: () => build() },
  { name: "sizes", group: "build", title: "sizes and budgets", needs: ["build"], built: true, run: sizes },
  { name: "wasm-pack", group: "chromium", title: "wasm-pack tests in headless Chromium", needs: ["build", "test"], missing: () => (webTests().length ? null : "tests/web.rs"), run: wasmPack, counts: true },
  { name: "vitest", group: "js", title: "Vitest", needs: ["build"], built: true, run: vitest, counts: true },
  { name: "node", group: "js", title: "tests in Node", needs: ["build"], built: true, missing: () => (nodeTests().length ? null : "tests/**/*.test.mjs"), run: () => nodeRunner("test-node", nodeTests()), counts: true },
  { name: "types", group: "js", title: "type tests", needs: ["build"], built: true, missing: () => (existsSync(typeTests) ? null : "tests/types/tsconfig.json"), run: () => job(join(npmBin, "tsc"), ["-p", typeTests, "--pretty", "false"], { log: "test-types", echo: true }) },
  { name: "browser", group: "chromium", title: "browser tests in headless Chromium", needs: ["build", "test"], built: true, missing: () => (browserTests().length ? null : "tests/browser/*.test.mjs"), run: browser, counts: true },
];

/** Adds up the counts of stages. */
export const total = (counts) => counts.reduce(plus, { passed: 0, failed: 0, skipped: 0 });
