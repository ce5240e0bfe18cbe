/**
 * A stage for WebMCP: a Chromium that has it, pages under the demo's policy, and an agent outside of them, which knows
 * their tools and calls them through the browser's own protocol, as a browser's agent does.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { startChromium } from "../../../scripts/lib/chromium.mjs";
import { policy, serveFile } from "../../../www/serving/files.mjs";

const script = `
import { createRuntime, tool } from "/pkg/index.js";
import { adoptFromBrowser, exposeToBrowser } from "/pkg/webmcp.js";
globalThis.warnings = [];
globalThis.reports = [];
globalThis.make = async (tools = [], options = {}) => {
  globalThis.runtime = await createRuntime({ engine: "/nowhere", agent: "none", storage: "memory", session: "new", tools, ...options });
  runtime.on("warning", ({ code, message }) => warnings.push(code + ": " + message));
  for (const kind of ["agent.tool.called", "agent.tool.failed"]) runtime.on(kind, ({ name, status, error }) => reports.push({ name, status, code: error?.code }));
  return runtime;
};
Object.assign(globalThis, { tool, adoptFromBrowser, exposeToBrowser, ready: true });
`;
const html = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Stage</title><script type="module" src="/script.js"></script><body>BODY</body></html>';
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** Starts it; without the feature where `webmcp` is false. */
export async function startStage({ webmcp = true } = {}) {
  const pages = new Map([["/script.js", ["text/javascript", script, {}]]]);
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://stage");
    const [type, body, headers] = pages.get(pathname) ?? [];
    const base = { "content-security-policy": policy };
    if (pathname === "/favicon.ico") response.writeHead(204).end();
    else if (type) response.writeHead(200, { "content-type": type, ...base, ...headers }).end(body);
    else if (!(await serveFile(request, response, base))) response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { context, close } = await startChromium({ viewport: null, args: webmcp ? [...flags, "--enable-features=WebMCP"] : flags });
  const browser = context.browser();
  let count = 0;

  /** Opens a page of its own context: a browser keeps for an origin how it was isolated first. */
  async function open({ body = "", headers = {} } = {}) {
    count += 1;
    pages.set(`/page-${count}.html`, ["text/html", html.replace("BODY", body), headers]);
    const own = await browser.newContext();
    const page = await own.newPage();
    page.setDefaultTimeout(15_000);
    page.trouble = [];
    page.on("pageerror", (error) => page.trouble.push(`error: ${error.message}`));
    page.on("crash", () => page.trouble.push("the page crashed"));
    page.on("console", (message) => {
      if (message.type() === "error") page.trouble.push(`console: ${message.text()}`);
    });
    await page.goto(`http://127.0.0.1:${server.address().port}/page-${count}.html`);
    await page.waitForFunction(() => globalThis.ready);
    return page;
  }

  return {
    open,
    async close() {
      await close();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The agent outside: the tools it sees of a page, and calls of them. */
export async function agentOf(page) {
  const session = await page.context().newCDPSession(page);
  const tools = new Map();
  const responses = new Map();
  const waiting = new Map();
  session.on("WebMCP.toolsAdded", ({ tools: added }) => added.forEach((one) => tools.set(one.name, one)));
  session.on("WebMCP.toolsRemoved", ({ tools: removed }) => removed.forEach(({ name }) => tools.delete(name)));
  session.on("WebMCP.toolResponded", (response) => {
    responses.set(response.invocationId, response);
    waiting.get(response.invocationId)?.(response);
  });
  await session.send("WebMCP.enable");
  const { frameTree } = await session.send("Page.getFrameTree");

  /** Begins a call; `ended` resolves to how it ended. */
  async function begin(toolName, input = {}) {
    const { invocationId } = await session.send("WebMCP.invokeTool", { frameId: frameTree.frame.id, toolName, input });
    const ended = responses.has(invocationId) ? Promise.resolve(responses.get(invocationId)) : new Promise((resolve) => waiting.set(invocationId, resolve));
    return { ended, cancel: () => session.send("WebMCP.cancelInvocation", { invocationId }) };
  }

  /** A call, and what the agent reads of it: the browser reads the text as JSON where it is JSON. */
  async function call(name, input) {
    const { ended } = await begin(name, input);
    const { status, output, errorText } = await ended;
    if (status !== "Completed") throw new Error(`${name}: ${status} ${errorText}`);
    return output;
  }
  return { tools, begin, call };
}
