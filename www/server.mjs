/**
 * The demo's server: the page, the package, the bundled engine and a token endpoint on one port.
 * `node www/server.mjs [--port N] [--once]`; `--once` drives the conversation in a headless browser and ends.
 * The page gets short-lived client tokens only; no key ever leaves this process.
 */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { modelFrom } from "./models/choose.mjs";
import { startEngine } from "./serving/engine.mjs";
import { benchmarkFile, serveFile } from "./serving/files.mjs";

const usage = "Usage: npm start -- [--port NUMBER] [--once]";

function sendJson(response, status, value, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store", ...headers });
  response.end(JSON.stringify(value));
}

/** Who is asking: a name in a cookie that scripts cannot read, so that a fresh token is for the same visitor. */
function visitorOf(request) {
  const known = /(?:^|;\s*)visitor=([0-9a-f-]{36})(?:;|$)/.exec(request.headers.cookie ?? "")?.[1];
  const id = known ?? randomUUID();
  return { name: `visitor-${id}`, cookie: `visitor=${id}; HttpOnly; SameSite=Strict; Path=/demo` };
}

/** Tokens are for this page alone: another site's script could otherwise have one for the asking. */
const fromElsewhere = (request) => !["same-origin", "none", undefined].includes(request.headers["sec-fetch-site"]);

/**
 * Starts the demo on a port (0 is any). Options are for tests: engine settings, headers over the page's own,
 * and `intercept(request, response)`, which may answer a request itself by returning true.
 */
export async function startDemo({ port = 0, host = "127.0.0.1", model = null, config, headers, intercept } = {}) {
  const { engine, mint } = await startEngine(model, config);
  const settings = { engine: "/", model: model?.name ?? null };

  async function answer(request, response) {
    if (await intercept?.(request, response)) return;
    const { pathname } = new URL(request.url, "http://page");
    if (/^\/api\/(client|channels)\//.test(pathname)) return engine.handle(request, response);
    if (pathname === "/demo/settings") return sendJson(response, 200, settings);
    if (pathname === "/demo/token") {
      if (request.method !== "POST" || fromElsewhere(request)) return sendJson(response, 403, { error: "not from here" });
      const { name, cookie } = visitorOf(request);
      return sendJson(response, 200, await mint(name), { "set-cookie": cookie });
    }
    if (pathname === "/bench.json") {
      const figures = await readFile(benchmarkFile, "utf8").catch(() => null);
      return figures === null ? sendJson(response, 404, { error: "nothing was measured yet" }) : sendJson(response, 200, JSON.parse(figures));
    }
    if (["GET", "HEAD"].includes(request.method) && (await serveFile(request, response, headers))) return;
    sendJson(response, 404, { error: "not found" });
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      console.error(error);
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: "the demo's server failed" });
    });
  });
  server.listen(port, host);
  await once(server, "listening");

  async function close() {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
    await engine.close();
  }
  return { url: `http://127.0.0.1:${server.address().port}/`, engine, close };
}

function argumentsOf(args) {
  const { values } = parseArgs({ args, options: { port: { type: "string" }, once: { type: "boolean" }, help: { type: "boolean" } } });
  const port = values.port === undefined ? undefined : Number(values.port);
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port < 65_536)) throw new Error(`--port must be a number from 0 to 65535, not ${values.port}`);
  return { ...values, port };
}

/** The port people expect; the next free one where it is taken and nobody asked for it by number. */
async function startAnywhere(port, model) {
  if (port !== undefined) return startDemo({ port, model });
  try {
    return await startDemo({ port: 4173, model });
  } catch (error) {
    if (error.code !== "EADDRINUSE") throw error;
    return startDemo({ model });
  }
}

async function run(args) {
  const { port, once: drive, help } = argumentsOf(args);
  if (help) return console.log(usage);
  if (drive) {
    const { driveOnce } = await import("../scripts/once.mjs");
    process.exitCode = await driveOnce(() => startDemo({ port }));
    return;
  }
  // Kept for good: npm hands the terminal's interrupt on a second time, which must not cut the closing short.
  const signaled = new Promise((resolve) => {
    for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => resolve(name));
  });
  const model = modelFrom(process.env);
  const demo = await startAnywhere(port, model);
  console.log(`Sunday Harbor is open: ${demo.url}`);
  console.log(model ? `${model.name} answers.` : "A script answers. Set ANTHROPIC_API_KEY or OPENAI_API_KEY (and OPENAI_BASE_URL) for a real model.");
  console.log("Ctrl+C ends it.");
  console.log(`\n${await signaled}: closing.`);
  await demo.close();
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  run(process.argv.slice(2)).catch((error) => {
    const advice = error.code === "EADDRINUSE" ? "the port is taken: choose another with --port" : error.code?.startsWith?.("ERR_PARSE_ARGS") ? usage : "";
    console.error([`The demo could not start: ${error.message}`, advice].filter(Boolean).join("\n"));
    process.exitCode = 1;
  });
}
