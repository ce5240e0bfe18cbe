/**
 * Where the benchmark's pages run: one headless Chromium, a server on loopback with what is put into it, and the code
 * of `page-side` bundled for them. Pages are cross-origin isolated, so that their clock is fine. Measures nothing.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { startChromium } from "../lib/chromium.mjs";
import { at, root } from "../lib/paths.mjs";
import { serveFile } from "../../www/serving/files.mjs";

const isolated = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp", "cross-origin-resource-policy": "same-origin", "timing-allow-origin": "*" };

/** The package by its public names, left to be loaded as it was built: there it finds its WASM files. */
export const publicNames = (folder) => ({
  name: "pagehand",
  setup(bundler) {
    bundler.onResolve({ filter: /^pagehand(\/|$)/ }, ({ path }) => ({ path: `${folder}${path === "pagehand" ? "index" : path.slice("pagehand/".length)}.js`, external: true }));
  },
});

/** Bundles a module for a page, minified. Gives the files that came out. */
export async function bundle(entry, { resolveDir = at("scripts", "bench", "page-side"), ...more } = {}) {
  const options = { bundle: true, minify: true, format: "esm", target: "es2022", platform: "browser", write: false, logLevel: "silent", absWorkingDir: root, conditions: ["browser"], define: { "process.env.NODE_ENV": '"production"' } };
  const made = await build({ ...options, stdin: { contents: entry, resolveDir, loader: "js" }, outdir: "out", plugins: [publicNames("/pkg/")], ...more });
  return made.outputFiles;
}

/** Starts the lab. `put(path, type, body)` adds a file; `route(prefix, answer)` hands requests on. */
export async function startLab() {
  const files = new Map();
  const routes = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://lab");
    const route = routes.find(({ prefix }) => pathname.startsWith(prefix));
    if (route) return route.answer(request, response);
    const file = files.get(pathname);
    if (file) {
      const zipped = file.zipped && /gzip/.test(request.headers["accept-encoding"] ?? "");
      response.writeHead(200, { "content-type": file.type, "cache-control": "no-store", ...(zipped ? { "content-encoding": "gzip" } : {}), "content-length": (zipped ? file.zipped : file.body).length, ...isolated });
      return response.end(zipped ? file.zipped : file.body);
    }
    // The package itself, by its own addresses.
    if (!(await serveFile(request, response, isolated))) response.writeHead(404, isolated).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}`;
  const { context, close: closeBrowser } = await startChromium({ viewport: { width: 800, height: 600 } });

  function put(path, type, body, { zip = false } = {}) {
    const bytes = Buffer.from(body);
    files.set(path, { type, body: bytes, zipped: zip ? gzipSync(bytes, { level: 9 }) : null });
    return files.get(path);
  }

  /** A page whose one script is a module; it is there when the script has set `globalThis.ready`. */
  let count = 0;
  async function open(script) {
    count += 1;
    const [made] = await bundle(`${script}\nglobalThis.ready = true;`);
    put(`/lab-${count}.js`, "text/javascript", made.contents);
    put(`/lab-${count}.html`, "text/html", `<!doctype html><title>Lab</title><link rel="icon" href="data:,"><script type="module" src="/lab-${count}.js"></script>`);
    const page = await context.newPage();
    page.setDefaultTimeout(300_000);
    const trouble = [];
    page.on("pageerror", (error) => trouble.push(error.message));
    await page.goto(`${url}/lab-${count}.html`);
    await page.waitForFunction(() => globalThis.ready, undefined, { timeout: 20_000 }).catch((error) => {
      throw new Error(`a page of the benchmark did not start: ${trouble.join("; ") || error.message}`);
    });
    return page;
  }

  async function close() {
    await closeBrowser();
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  }
  return { url, context, put, route: (prefix, answer) => routes.push({ prefix, answer }), open, close };
}
