/**
 * What a page waits for: from `import()` to the first call that was checked, with a cold cache, over a slow link
 * (8.1 Mbit/s, 165 ms, by the browser's own emulation); and how many bytes that takes. Every contender is bundled by
 * esbuild, minified, split where it loads later, and served compressed.
 */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { at, pkgDir } from "../lib/paths.mjs";
import { figure } from "./figures.mjs";
import { bundle } from "./lab.mjs";
import { median } from "./page-side/rounds.mjs";

const link = { offline: false, latency: 165, downloadThroughput: 8.1e6 / 8, uploadThroughput: 8.1e6 / 8 };

/** `wasm` says how the runtime's file comes: asked for by the JavaScript, or beside it by a tag of the page. */
const contenders = {
  asked: { name: "pagehand, WASM asked for by the JS", ours: true, entry: "pagehand" },
  beside: { name: "pagehand, WASM beside the JS (preload)", ours: true, entry: "pagehand", preload: true },
  inline: { name: "pagehand, WASM inside the JS", ours: true, entry: "pagehand-inline" },
  plain: { name: "pagehand, WASM beside the JS, nothing to check", ours: true, entry: "pagehand-plain", preload: true },
  cfworker: { name: "cfworker with eventsource-parser", entry: "cfworker" },
  ai: { name: "AI SDK (ai)", entry: "ai" },
  agUi: { name: "AG-UI client", entry: "ag-ui" },
};

/** The package's sources by their public names, bundled in, and the runtime's bytes as text. */
const inside = {
  name: "inside",
  setup(bundler) {
    bundler.onResolve({ filter: /^pagehand(\/|$)/ }, ({ path }) => ({ path: at("pkg", path === "pagehand" ? "index.js" : `${path.slice("pagehand/".length)}.js`) }));
    bundler.onResolve({ filter: /^inline:/ }, ({ path }) => ({ path, namespace: "inline" }));
    bundler.onLoad({ filter: /.*/, namespace: "inline" }, ({ path }) => ({ contents: `export default ${JSON.stringify(readFileSync(join(pkgDir, "wasm", path === "inline:runtime.wasm" ? "runtime_bg.wasm" : "none")).toString("base64"))};` }));
  },
};

/** Puts a contender's files under a folder of its own; gives the page that starts it. */
async function serve(lab, key) {
  const { entry, preload } = contenders[key];
  const folder = `/cold/${key}`;
  const files = await bundle(`export { start } from "./${entry}.mjs";`, { resolveDir: at("scripts", "bench", "cold"), splitting: true, plugins: [inside], outdir: "out", entryNames: "app" });
  for (const { path, contents } of files) lab.put(`${folder}/${basename(path)}`, "text/javascript", contents, { zip: true });
  if (contenders[key].ours) {
    // Where a chunk looks for them: beside itself. How a package's file gets there is the bundler's matter.
    for (const name of ["runtime", "checker", "schema"]) lab.put(`${folder}/wasm/${name}_bg.wasm`, "application/wasm", readFileSync(join(pkgDir, "wasm", `${name}_bg.wasm`)), { zip: true });
  }
  const early = preload ? ["runtime", ...(key === "plain" ? [] : ["checker"])] : [];
  const tag = early.map((name) => `<link rel="preload" as="fetch" type="application/wasm" crossorigin href="${folder}/wasm/${name}_bg.wasm">`).join("");
  const script = `
    const from = performance.now();
    import("${folder}/app.js").then(({ start }) => start()).then(
      () => (globalThis.cold = { ms: performance.now() - from, entries: performance.getEntriesByType("resource").map(({ name, encodedBodySize }) => [name, encodedBodySize]) }),
      (error) => (globalThis.cold = { error: String(error?.stack ?? error) }),
    );`;
  lab.put(`${folder}/index.html`, "text/html", `<!doctype html><title>Cold</title><link rel="icon" href="data:,">${tag}<script type="module">${script}</script>`);
  return `${lab.url}${folder}/index.html`;
}

async function visit(lab, url) {
  // A context of its own has a cache of its own, and no code compiled before.
  const context = await lab.context.browser().newContext();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", link);
  await page.goto(url, { waitUntil: "commit" });
  await page.waitForFunction(() => globalThis.cold, undefined, { timeout: 60_000 });
  const found = await page.evaluate(() => globalThis.cold);
  await context.close();
  if (found.error) throw new Error(`${url}: ${found.error}`);
  return { ms: found.ms, bytes: found.entries.reduce((sum, [, size]) => sum + size, 0), wasms: found.entries.filter(([name]) => name.endsWith(".wasm")).length };
}

/** Measures. */
export async function measureCold(lab, { rounds = 7 } = {}) {
  const urls = {};
  for (const key of Object.keys(contenders)) urls[key] = await serve(lab, key);
  const samples = Object.fromEntries(Object.keys(contenders).map((key) => [key, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const key of Object.keys(contenders)) samples[key].push(await visit(lab, urls[key]));
  }
  const rows = (pick) => Object.entries(contenders).map(([key, { name, ours }]) => ({ name, ours, value: median(samples[key].map(pick)) }));
  const times = rows(({ ms }) => ms);
  const bytes = rows((one) => one.bytes / 1000);
  const [best] = times.filter((row) => row.ours && row.name !== contenders.plain.name).sort((one, other) => one.value - other.value);
  const [first] = bytes;
  const wasms = Math.max(...samples.asked.map((one) => one.wasms));
  return [
    figure({
      id: "cold-start",
      title: "Cold start: from import() to the first checked call, 8.1 Mbit/s and 165 ms",
      where: "chromium",
      unit: "ms",
      better: "less",
      rows: times,
      aim: { text: "≤ 230 ms", value: best.value, met: best.value <= 230 },
      notes: [`best of ours: ${best.name}`, `the first check loads ${wasms} WASM ${wasms === 1 ? "file" : "files"}`],
    }),
    figure({
      id: "first-load",
      title: "First load: bytes until then, compressed by gzip -9",
      where: "chromium",
      unit: "KB",
      better: "less",
      rows: bytes,
      aim: { text: "≤ 44 KB", value: first.value, met: first.value <= 44 },
    }),
  ];
}
