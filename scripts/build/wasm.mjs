/**
 * Builds one WASM file that ships: cargo, wasm-bindgen, wasm-opt, then an instantiation in Node.
 * `--crate-type cdylib` is what keeps link-time optimisation: with the manifest's two types rustc drops it silently.
 * Results are made aside and moved into `pkg/wasm` only when the file that ships has run.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative, resolve } from "node:path";
import { filesUnder, hashOf, readStamp, writeStamp } from "../lib/inputs.mjs";
import { at, npmBin, outDir, pkgDir, root, targetDir } from "../lib/paths.mjs";
import { Failure, ask, job } from "../lib/run.mjs";
import { bindgenCommand, lockedVersion } from "../setup/cargo-tools.mjs";
import { wasmEnvironment, wasmTarget } from "../setup/wasm-env.mjs";
import { parseNames } from "../bytes/names.mjs";
import { ordered, withoutPlaces } from "./alike.mjs";
import { dropDeadShims } from "./dead-shims.mjs";
import { modules } from "./modules.mjs";
import { factoryOf } from "./shared-glue.mjs";
import { shortenNames } from "./short-names.mjs";
import { emptyUnused, requireNoCallers } from "./unused.mjs";

const moduleOf = (name) => modules.find((one) => one.name === name);

/** For the files pages wait for: flattened first, more rounds find one part in a hundred more, at five times the time. */
export const thorough = ["-Oz", "--flatten", "--rereloop", "-Oz", "-Oz", "--converge"];
/**
 * The first kilobyte of memory is the far end of the stack, which no sum may reach: an address is what the module says,
 * and constants become offsets.
 */
const shrink = (name) => ["--low-memory-unused", ...(moduleOf(name)?.awaited ? thorough : ["-Oz"])];
/** What the module needs of browsers is dropped last: the optimiser asks for it. */
export const strip = ["--strip-debug", "--strip-producers"];
const bare = ["--strip-debug", "--strip-target-features"];
const shippedDir = join(pkgDir, "wasm");
const shippedFiles = (name) => [`${name}_bg.wasm`, `${name}.js`, `${name}.d.ts`, ...(moduleOf(name)?.shared ? ["machine.js"] : [])];

/** One target folder for all files: what they share is compiled once. Cargo then runs for one file at a time. */
const shipTarget = join(targetDir, "ship");
const releaseDir = join(shipTarget, wasmTarget, "release");
let cargoTurn = Promise.resolve();
const stampFor = (name) => join(outDir, name, "stamp.json");

/** What makes the result but shows in no source file: the compiler, the tools, the flags. */
let tools;
function facts() {
  const packages = JSON.parse(readFileSync(at("package-lock.json"), "utf8")).packages;
  tools ??= [ask("rustc", ["-Vv"], { env: { ...process.env, ...wasmEnvironment() } }), lockedVersion("wasm-bindgen"), packages["node_modules/binaryen"].version, thorough, strip, bare];
  return tools;
}

const recipe = ["wasm", "short-names", "shared-glue", "instantiate", "alike", "dead-shims", "unused"].map((script) => at("scripts", "build", `${script}.mjs`)).concat(at("scripts", "bytes", "dissect.mjs"));
const shippedHash = (name) => hashOf(shippedFiles(name).map((file) => join(shippedDir, file)));
const sourcesHash = (files) => hashOf([...files, "Cargo.toml", "Cargo.lock", "scripts/build/modules.mjs"].map((file) => resolve(root, file)).concat(recipe), facts());
const linkedHash = (linked) => hashOf([linked, ...recipe], facts());

/** Why a file needs no build, or null. */
export function unchanged(name) {
  const stamp = readStamp(stampFor(name));
  return stamp && stamp.shipped === shippedHash(name) && stamp.sources === sourcesHash(stamp.files) ? "no input has changed" : null;
}

/** Whether the names that are kept aside are those of the file that ships. */
export const belongs = (name) => readStamp(stampFor(name))?.shipped === shippedHash(name);

/** Where a file is linked: the crate itself, or a workspace that patches some of its dependencies. */
function linking(name) {
  const workspace = moduleOf(name)?.workspace;
  if (!workspace) return { product: "pagehand", flags: ["--no-default-features", "--features", name], manifests: [] };
  const manifests = ["Cargo.toml", "Cargo.lock"].map((file) => join(workspace, file));
  const product = workspace.split("/").at(-1).replaceAll("-", "_");
  return { product, flags: ["--manifest-path", at(manifests[0])], manifests };
}

/** Our own source files that went into the build, as the compiler lists them. */
function compiledSources({ product, manifests }) {
  const list = readFileSync(join(releaseDir, `${product}.d`), "utf8");
  const files = list
    .slice(list.indexOf(":") + 1)
    .split("\n")[0]
    .split(/(?<!\\) +/)
    .map((file) => file.replaceAll("\\ ", " ").trim())
    .filter(Boolean)
    .map((file) => relative(root, file));
  return [...files, ...manifests].sort();
}

/** Refuses glue that exports nothing of the module's own: an empty file must never ship. */
function requireExports(name, folder) {
  const declared = [...readFileSync(join(folder, `${name}.d.ts`), "utf8").matchAll(/^export (?:class|function|enum) (\w+)/gm)].map((match) => match[1]);
  const own = declared.filter((one) => one !== "initSync");
  if (own.length === 0) throw new Failure(`the ${name} WASM file exports nothing`, `give feature "${name}" its #[wasm_bindgen] exports in src/browser`);
  return own;
}

/**
 * What a trapped instance still awaits must settle into nothing: the glue would throw instead, and each promise of
 * the dead instance would become an unhandled rejection in the page.
 */
function quietStaleClosures(file) {
  const glue = readFileSync(file, "utf8");
  const throwing = "throw new Error('Cannot invoke closure from previous WASM instance');";
  if (!glue.includes(throwing)) throw new Failure(`${file} has no check for closures of an earlier instance`, "look at what this wasm-bindgen writes for --experimental-reset-state-function");
  // Objects of a dead instance are the facade's alone, which lets go of them first; a scheduled renewal is never asked for.
  const checks = /if \(this\.__wbg_inst !== undefined && this\.__wbg_inst !== __wbg_instance_id\) \{\s*throw new Error\('Invalid stale object from previous Wasm instance'\);\s*\}\s*|Object\.defineProperty\(this, '__wbg_inst', \{[^}]*\}\);\s*|__wbg_call_guard\(\);\s*/g;
  writeFileSync(file, glue.replaceAll(throwing, "return;").replace(checks, ""));
}

/**
 * Has what a module asks of JavaScript objects asked by a function that tells an element's own properties from the
 * names a page gives its fields. That function is `own` of a module beside the glue.
 */
function askOwnProperties(file, from) {
  const glue = readFileSync(file, "utf8");
  // No element and no document has these: they are asked of sets, functions, boxes, promises and the host.
  const plain = "(?:add|after|apply|bottom|call|deref|frame|get|getPropertyValue|has|height|includes|left|length|pause|push|queueMicrotask|resolve|right|set|sleep|then|toLowerCase|top|width|x|y)";
  const asked = glue
    .replace(new RegExp(`\\b(arg\\d)\\.(?!${plain}\\b)([a-zA-Z]\\w*)\\(`, "g"), 'own($1, "$2").call($1, ')
    .replace(new RegExp(`\\b(arg\\d)\\.(?!${plain}\\b)([a-zA-Z]\\w*);`, "g"), 'own($1, "$2");')
    .replace("Reflect.get(arg0, arg1)", "own(arg0, arg1)");
  for (const wanted of ['own(arg0, "firstChild")', 'own(arg0, "matches")', "own(arg0, arg1)"]) {
    if (!asked.includes(wanted)) throw new Failure(`${file} lacks ${wanted}`, "look at what this wasm-bindgen writes for properties and methods");
  }
  writeFileSync(file, `import { own } from ${JSON.stringify(from)};\n${asked}`);
}

/**
 * Flags that give the sources of other crates one name on every machine. Panics name the file they stand in: a folder
 * of the machine that built would end up in what ships, and two machines would not build the same bytes.
 */
export function namedAlike(more = []) {
  const crates = join(process.env.CARGO_HOME || join(homedir(), ".cargo"), "registry", "src");
  const folders = existsSync(crates) ? readdirSync(crates).map((name) => join(crates, name)) : [];
  const flags = [crates, ...folders].map((folder) => `--remap-path-prefix=${folder}=crates`);
  const given = process.env.CARGO_ENCODED_RUSTFLAGS?.split("\x1f") ?? [...(process.env.RUSTFLAGS ?? "").split(" ").filter(Boolean), ...flags];
  return { CARGO_ENCODED_RUSTFLAGS: [...given, ...more].join("\x1f") };
}

/** What finds the ends of lines sixteen bytes at a time. */
export const simd = ["-Ctarget-feature=+simd128"];
const levelOf = (name) => (moduleOf(name)?.optLevel ? { CARGO_PROFILE_RELEASE_OPT_LEVEL: moduleOf(name).optLevel } : {});

/** Compiles and links one file with cargo, copies it out, and resolves to the source files that went into it. */
async function compile(name, env, linked) {
  // All features link to one file name, so cargo must not take another feature's file for this one's.
  const link = linking(name);
  const made = `${link.product}.wasm`;
  for (const stale of [join(releaseDir, made), join(releaseDir, "deps", made)]) rmSync(stale, { force: true });
  const start = Date.now();
  const locked = process.env.CI ? ["--locked"] : [];
  await job("cargo", ["rustc", ...locked, "--release", "--lib", "--crate-type", "cdylib", "--target", wasmTarget, ...link.flags], {
    log: `build-${name}-cargo`,
    label: name,
    env: { ...env, ...namedAlike(moduleOf(name)?.simd ? simd : []), ...levelOf(name), CARGO_TARGET_DIR: shipTarget },
    advice: "mend the error above; `npm test -- clippy-wasm` finds such errors sooner",
  });
  copyFileSync(join(releaseDir, made), linked);
  const files = compiledSources(link);
  // A file saved while the compiler ran may or may not be in the result: leave no hash, and the next build decides.
  const moved = files.some((file) => statSync(resolve(root, file)).mtimeMs >= start);
  return { files, sources: moved ? "edited during the build" : sourcesHash(files) };
}

const optimise = (name, file, passes, env) => job(join(npmBin, "wasm-opt"), [file, ...passes, "-o", file], { log: `build-${name}-opt`, label: name, env });

/**
 * Has functions that are alike stand beside each other, where compression sees it. Their names go to a side file, for
 * reading a stack trace of the stripped module.
 */
async function sortFunctions(name, file, map, env) {
  writeFileSync(file, ordered(readFileSync(file), parseNames(readFileSync(map, "utf8"))));
  await optimise(name, file, ["--reorder-functions-by-name", `--symbolmap=${map}`, ...bare], env);
  writeFileSync(map, withoutPlaces(readFileSync(map, "utf8")));
}

/** Builds a file and puts it into `pkg/wasm`; resolves to a sentence on its size. */
export async function buildWasm(name) {
  const env = wasmEnvironment();
  const aside = join(outDir, name, "made");
  const linked = join(outDir, name, "linked.wasm");
  const known = readStamp(stampFor(name));
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { recursive: true });

  const compiling = cargoTurn.then(() => compile(name, env, linked));
  cargoTurn = compiling.catch(() => {});
  const stamp = { ...(await compiling), linked: linkedHash(linked) };
  if (known?.linked === stamp.linked && known.shipped === shippedHash(name)) {
    writeStamp(stampFor(name), { ...known, ...stamp });
    return `${name}: links to the same bytes as before`;
  }

  const { renewable, ownProperties, shared, unused } = moduleOf(name);
  const reset = renewable ? ["--experimental-reset-state-function"] : [];
  await job(bindgenCommand(), ["--target", "web", "--omit-default-module-path", ...reset, "--out-dir", aside, "--out-name", name, linked], { log: `build-${name}-bindgen`, label: name, env });
  requireExports(name, aside);
  if (renewable) quietStaleClosures(join(aside, `${name}.js`));
  const beyond = modules.flatMap((one) => one.beyond ?? []);
  shortenNames(join(aside, `${name}_bg.wasm`), join(aside, `${name}.js`), beyond.map((method) => `rawruntime_${method}`));

  const ready = join(aside, `${name}_bg.wasm`);
  if (unused) await emptyUnused(ready, unused);
  dropDeadShims(ready);
  const map = join(outDir, name, "names.txt");
  await optimise(name, ready, [...shrink(name), `--symbolmap=${map}`, ...strip], env);
  if (unused) requireNoCallers(map, unused);
  await sortFunctions(name, ready, map, env);
  await job(process.execPath, [at("scripts", "build", "instantiate.mjs"), aside, name], {
    log: `build-${name}-instantiate`,
    label: name,
    advice: "the optimised file does not run: compare with the one before wasm-opt",
  });
  if (shared) writeFileSync(join(aside, "machine.js"), factoryOf(readFileSync(join(aside, `${name}.js`), "utf8")));
  if (ownProperties) askOwnProperties(join(aside, `${name}.js`), ownProperties);

  mkdirSync(shippedDir, { recursive: true });
  for (const file of shippedFiles(name)) renameSync(join(aside, file), join(shippedDir, file));
  rmSync(aside, { recursive: true, force: true });
  writeStamp(stampFor(name), { ...stamp, shipped: shippedHash(name) });
  const kilobytes = (path) => `${Math.round(statSync(path).size / 1000)} KB`;
  return `${name}: ${kilobytes(linked)} linked, ${kilobytes(join(shippedDir, `${name}_bg.wasm`))} optimised, runs in Node`;
}
