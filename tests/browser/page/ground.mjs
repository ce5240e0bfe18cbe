/**
 * A ground for the page tools: a server for pages that a test writes, the package, and crates of frameworks bundled on
 * demand; a Chromium; and a way to call a tool in a page and see what it gave. Each test file starts one and ends it.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { startBrowser } from "../helpers.mjs";
import { policy, serveFile } from "../../../www/serving/files.mjs";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The frames of tests are on purpose, and so are their forms and what Lit makes its templates by; all else is as the demo's policy says. */
const testPolicy = `${policy.replace("frame-ancestors 'none'", "frame-ancestors *").replace("form-action 'none'", "form-action 'self'").replace("trusted-types 'none'", "trusted-types lit-html")}; frame-src *; style-src 'self' 'unsafe-inline'; img-src data:`;

const shell = (body, head = "") => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Ground</title><link rel="icon" href="data:,">${head}</head><body>${body}</body></html>`;

/** The script of every page: the tools, and what a test calls them by. */
const setup = `
import { pageTools } from "/pkg/page.js";
globalThis.start = async (options) => {
  globalThis.after = [];
  globalThis.tools = Object.fromEntries((await pageTools(options)).map((tool) => [tool.name, tool]));
  globalThis.call = async (name, input) => {
    const { data, error } = await globalThis.tools[name].invoke(input);
    return error ? { error: error.message, code: error.code } : { data };
  };
};
globalThis.ready = true;
`;

/** Starts the ground; \`open(body, { options, head, script })\` gives a page with the tools in it. */
export async function startGround() {
  const pages = new Map();
  const seen = [];
  const headers = { "content-security-policy": testPolicy };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://ground");
    if (pages.has(pathname)) {
      seen.push({ method: request.method, url: request.url });
      const [type, body] = pages.get(pathname);
      response.writeHead(200, { "content-type": type, ...headers }).end(body);
    } else if (!(await serveFile(request, response, headers))) response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}`;
  pages.set("/setup.js", ["text/javascript", setup]);
  const browser = await startBrowser();
  let count = 0;

  const serve = (path, body, type = "text/html") => pages.set(path, [type, type === "text/html" ? shell(body) : body]);

  async function open(body, { options = {}, head = "", script = "", ...context } = {}) {
    count += 1;
    pages.set(`/own-${count}.js`, ["text/javascript", script]);
    pages.set(`/page-${count}.html`, ["text/html", shell(body, `${head}<script type="module" src="/setup.js"></script><script type="module" src="/own-${count}.js"></script>`)]);
    const page = await browser.page(context);
    await page.goto(`${url}/page-${count}.html`);
    return equip(page, options);
  }

  /** Puts the tools into a page. */
  async function equip(page, options = {}) {
    await page.waitForFunction(() => globalThis.ready);
    await page.evaluate((given) => globalThis.start(given), options);
    const call = (name, input = {}) => page.evaluate(([tool, given]) => globalThis.call(tool, given), [name, input]);
    const good = async (name, input) => {
      const { data, error } = await call(name, input);
      if (error) throw new Error(`${name} ${JSON.stringify(input)}: ${error}`);
      return data;
    };
    const bad = async (name, input) => {
      const { data, error } = await call(name, input);
      if (!error) throw new Error(`${name} ${JSON.stringify(input)} went well: ${JSON.stringify(data)}`);
      return error;
    };
    /** The ref of the first line of the page that holds some words. */
    const ref = async (words) => {
      const text = await good("read_page", { limit: 100_000 });
      const line = text.split("\n").find((one) => one.includes(words));
      if (!line) throw new Error(`no line with ${words} in\n${text}`);
      return /[a-z]{3}\d+/.exec(line.trim())[0];
    };
    return Object.assign(page, { tool: call, good, bad, ref });
  }

  /** Bundles a script that uses installed packages, and serves it. */
  async function bundle(path, code) {
    const options = { stdin: { contents: code, resolveDir: root, loader: "tsx" }, bundle: true, write: false, format: "esm", logLevel: "silent", define: { "process.env.NODE_ENV": '"development"', __VUE_OPTIONS_API__: "true", __VUE_PROD_DEVTOOLS__: "false", __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false" } };
    const made = await build(options);
    pages.set(path, ["text/javascript", made.outputFiles[0].text]);
  }

  async function close() {
    await browser.close();
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  }
  return { url, seen, serve, open, equip, bundle, close };
}

/** Lines of a snapshot without what stands before them: notice and heading. */
export const body = (text) => text.split("\n").slice(2);

/** The same with refs made even, so that they can be compared. */
export const plain = (text) => body(text).map((line) => line.replace(/\b[bcdfghjkmnpqrstvwxz]{3}\d+ ?/g, ""));
