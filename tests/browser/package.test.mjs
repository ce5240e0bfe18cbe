/** What users install: the packed tarball in a plain page, in a Vite build and in Node. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { startBrowser } from "./helpers.mjs";
import { serveFolder } from "./folder.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const www = join(root, "www");
let browser;
let folder;
let installed;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "pagehand-package-"));
  const packed = execFileSync("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  installed = join(folder, "node_modules", "pagehand");
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", join(folder, JSON.parse(packed)[0].filename), "-C", installed, "--strip-components=1"]);
  browser = await startBrowser();
});

after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** What a page that runs one tool and one schema shows at its end. */
const expected = "Hello, page; SCHEMA_VALIDATION_FAILED; 1 issue";

async function outcomeOf(url) {
  const page = await browser.page();
  await page.goto(url);
  await page.waitForFunction(() => !["", "Working…"].includes(document.getElementById("outcome")?.textContent ?? ""));
  const text = await page.locator("#outcome").textContent();
  assert.deepEqual(page.trouble, []);
  await page.end();
  return text;
}

const wasmFiles = (path) => readdirSync(path, { recursive: true }).filter((file) => extname(file) === ".wasm");

test("the package holds what it promises and nothing else", () => {
  const files = readdirSync(installed, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(installed.length + 1));
  const odd = files.filter((file) => !/^(package\.json|README\.md|CHANGELOG\.md|LICENSE-[A-Z0-9-]+|pkg\/.+\.(js|d\.ts|wasm))$/.test(file));
  assert.deepEqual(odd, []);
  const { exports } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  const named = Object.values(exports).flatMap((entry) => (typeof entry === "string" ? [entry] : Object.values(entry)));
  for (const target of named) assert.ok(files.includes(target.replace("./", "")), `${target} is exported but not packed`);
});

test("a plain page imports it with no bundler, under a strict policy", async () => {
  const page = join(folder, "plain");
  mkdirSync(page);
  cpSync(join(installed, "pkg"), join(page, "pkg"), { recursive: true });
  for (const name of ["plain.html", "plain.js", "styles"]) cpSync(join(www, name), join(page, name), { recursive: true });
  const server = await serveFolder(page);
  assert.equal(await outcomeOf(`${server.url}plain.html`), expected);
  await server.close();
});

test("a Vite build finds the WASM by itself, emits the runtime once, and the result runs", async () => {
  const app = join(folder, "vite");
  mkdirSync(app);
  symlinkSync(join(folder, "node_modules"), join(app, "node_modules"));
  const code = readFileSync(join(www, "plain.js"), "utf8").replaceAll("./pkg/index.js", "pagehand").replaceAll("./pkg/schema.js", "pagehand/schema");
  writeFileSync(join(app, "main.js"), code);
  writeFileSync(join(app, "index.html"), "<!doctype html><title>App</title><p id=\"outcome\"></p><script type=\"module\" src=\"main.js\"></script>");
  await build({ root: app, configFile: false, logLevel: "error" });
  const emitted = wasmFiles(join(app, "dist"));
  assert.equal(emitted.filter((file) => /runtime/.test(file)).length, 1, emitted.join(", "));
  assert.deepEqual(emitted.filter((file) => /engine/.test(file)), [], "the engine is for tests alone");
  assert.equal(new Set(emitted).size, emitted.length);
  const server = await serveFolder(join(app, "dist"));
  assert.equal(await outcomeOf(server.url), expected);
  await server.close();
});

test("Node imports every entry, and an import alone does nothing", () => {
  const { exports } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  const entries = Object.keys(exports).filter((name) => exports[name].default?.endsWith(".js")).map((name) => `pagehand${name.slice(1)}`);
  assert.ok(entries.length >= 4, entries.join());
  const code = `
    let fetched = 0;
    globalThis.fetch = () => { fetched += 1; throw new Error("no network on import"); };
    const before = process.getActiveResourcesInfo().length;
    const entries = ${JSON.stringify(entries)};
    const modules = await Promise.all(entries.map((entry) => import(entry)));
    const [main, schema] = await Promise.all([import("pagehand"), import("pagehand/schema")]);
    const elsewhere = await (await import("pagehand/page")).pageTools().catch((error) => error.code);
    // The loader closes the files it read a moment later; whatever is still busy after that is ours.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const empty = entries.filter((_, index) => Object.keys(modules[index]).length === 0);
    const busy = process.getActiveResourcesInfo().length - before;
    const runtime = await main.createRuntime({ engine: "http://localhost", agent: "a", tools: [main.tool({ name: "t", execute: () => 7 })] });
    const { data } = await runtime.invoke("t");
    await runtime.close();
    const issues = (await schema.compile({ type: "string" })).check(1).length;
    console.log(JSON.stringify({ fetched, busy, empty, elsewhere, data, issues, window: typeof window }));
  `;
  const options = { cwd: folder, encoding: "utf8", timeout: 60_000 };
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", code], options);
  assert.deepEqual(JSON.parse(printed), { fetched: 0, busy: 0, empty: [], elsewhere: "unsupported-environment", data: 7, issues: 1, window: "undefined" });
});
