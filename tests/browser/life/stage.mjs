/**
 * A stage for tests of a page's life: an engine, a server that notes what ran and holds tools in the middle,
 * and a browser whose pages may go into the back-forward cache. Ends with the books: every call settled once.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { startChromium } from "../../../scripts/lib/chromium.mjs";
import { startDemo } from "../../../www/server.mjs";

const script = await readFile(new URL("./page.js", import.meta.url));
const html = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Stage</title><script type="module" src="/life.js"></script>';
/** A model that calls the tool a message names, and then says so; or talks at length. */
const rules = [{ when: { after: "*" }, say: "Done." }, { when: { user: "long" }, say: "word ".repeat(600) }, ...["acts", "reads", "sets", "asks", "waits", "steps", "leaves"].map((name) => ({ when: { user: name }, call: [{ name }] }))];

/** Waits until something is so. */
export async function until(what, test, patience = 10_000) {
  const start = Date.now();
  for (;;) {
    const found = await test();
    if (found) return found;
    if (Date.now() - start > patience) throw new Error(`in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** One Chromium for a file. */
export async function startStage() {
  const { context, close } = await startChromium({ viewport: null, ignoreDefaultArgs: ["--disable-back-forward-cache"] });
  const browser = context.browser();

  /** Runs `work` on a stage of its own. The engine's configuration may have more than the script. */
  async function play(work, config = {}) {
    const ran = [];
    const held = new Map();
    const open = new Set();
    const stage = { ran, posts: 0, block: false, loads: [] };
    const intercept = (request, response) => {
      const { pathname } = new URL(request.url, "http://page");
      if (pathname === "/life.html" || pathname === "/elsewhere.html") {
        stage.loads.push(request.url);
        response.writeHead(200, { "content-type": "text/html" }).end(pathname === "/life.html" ? html : "<!doctype html><title>Elsewhere</title>");
        return true;
      }
      if (pathname === "/life.js") {
        response.writeHead(200, { "content-type": "text/javascript" }).end(script);
        return true;
      }
      if (pathname.startsWith("/ran/")) {
        const name = pathname.slice(5);
        ran.push(name);
        if (held.has(name)) held.get(name).push(response);
        else response.end();
        return true;
      }
      if (pathname === "/api/client/sessions/input" || pathname.endsWith("/run")) {
        stage.posts += 1;
        open.add(response);
        response.on("close", () => open.delete(response));
        if (stage.block) response.destroy();
        return stage.block;
      }
      return false;
    };
    const demo = await startDemo({ intercept, config: { script: { rules }, ...config } });
    const own = await browser.newContext();
    const pages = [];
    Object.assign(stage, {
      demo,
      context: own,
      hold: (name) => held.set(name, []),
      release: (name) => {
        for (const response of held.get(name) ?? []) response.end();
        held.delete(name);
      },
      /** Ends what is being answered now, as a network that goes away does. */
      cut: () => {
        for (const response of open) response.destroy();
      },
      times: (name) => ran.filter((one) => one === name).length,
      /** Opens a page and waits for its runtime. */
      open: async (query = "", prepare) => {
        const page = await own.newPage();
        page.setDefaultTimeout(15_000);
        page.trouble = [];
        page.on("pageerror", (error) => page.trouble.push(error.message));
        pages.push(page);
        if (prepare) await page.addInitScript(prepare);
        await page.goto(`${demo.url}life.html?${query}`);
        await stage.ready(page);
        return page;
      },
      ready: (page) => page.waitForFunction(() => globalThis.stage),
      // A headless page is never hidden, so the browser freezes none: the page is told as it would be.
      freeze: (page) => page.evaluate(() => void document.dispatchEvent(new Event("freeze"))),
      thaw: (page) => page.evaluate(() => void document.dispatchEvent(new Event("resume"))),
      session: (page) => page.evaluate(() => globalThis.stage.runtime.sessionId),
      send: (page, text) => page.evaluate((words) => void globalThis.stage.runtime.send(words, { queue: true }), text),
      heard: (page, type) => page.evaluate((kind) => globalThis.stage.events.filter((event) => event.type === kind), type),
      /** Waits for an event of a kind in some state. */
      hears: (page, type, state) =>
        page.waitForFunction(([kind, wanted]) => globalThis.stage?.events.some((event) => event.type === kind && (wanted === undefined || event.state === wanted)), [type, state]),
      /** Waits until the engine's calls of a session are over, and checks that each was settled once. */
      settled: async (session) => {
        const over = (call) => call.status === "completed" || call.status === "errored";
        const calls = await until(
          "the calls are over",
          () => {
            const found = demo.engine.calls(session);
            return found.length > 0 && found.every(over) && found;
          },
          20_000,
        ).catch((error) => {
          throw new Error(`${error.message}: ${JSON.stringify(demo.engine.calls(session))}`);
        });
        for (const call of calls) assert.equal(call.settlements.filter((one) => one.accepted).length, 1, `${call.name} was settled more than once`);
        return calls;
      },
    });
    try {
      return await work(stage);
    } finally {
      await own.close();
      await demo.close();
    }
  }
  return { play, close };
}
