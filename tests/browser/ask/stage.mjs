/**
 * A stage for tests of questions: a page under the strict policy, which asks what a test tells it, and axe.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { serveFolder } from "../folder.mjs";
import { startBrowser } from "../helpers.mjs";

const pkg = fileURLToPath(new URL("../../../pkg", import.meta.url));
const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core")), "utf8");

const script = `
import { ask, askInDialog, click, confirm } from "/pkg/ask/index.js";
const settle = (promise) => promise.then((value) => ({ value }), (error) => ({ error: error.code ?? error.name, message: error.message }));
globalThis.results = [];
globalThis.asked = (request, options) => { const at = results.length; results.push(undefined); void settle(ask(request, options && askInDialog(options))).then((end) => (results[at] = end)); };
Object.assign(globalThis, { confirm, click, settle, ready: true });
`;
const html = (css = "") => `<!doctype html><html lang="en"><meta charset="utf-8"><title>Stage</title>${css}<script type="module" src="/page.js"></script>
<body><main><h1>Stage</h1><button id="opener">Open</button><input id="composer" aria-label="Message"></main></body></html>`;

/** Starts a server and a browser for one file. */
export async function startStage() {
  const folder = mkdtempSync(join(tmpdir(), "pagehand-ask-"));
  symlinkSync(pkg, join(folder, "pkg"));
  writeFileSync(join(folder, "page.js"), script);
  writeFileSync(join(folder, "index.html"), html());
  const server = await serveFolder(folder);
  const browser = await startBrowser();
  return {
    /** Opens a page; `css` is served as its sheet. */
    async open({ css, ...options } = {}) {
      const name = css ? `styled-${Math.random()}` : "index";
      if (css) {
        writeFileSync(join(folder, `${name}.css`), css);
        writeFileSync(join(folder, `${name}.html`), html(`<link rel="stylesheet" href="/${name}.css">`));
      }
      const page = await browser.page(options);
      await page.goto(`${server.url}${name}.html`);
      await page.waitForFunction(() => globalThis.ready);
      return page;
    },
    async close() {
      await browser.close();
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The part of the dialog with a name. */
export const part = (page, name) => page.locator(`pagehand-ask [part~="${name}"]`);

/** Asks for a form; what comes of it is read with `result`. */
export async function asks(page, request, options) {
  await page.evaluate(([what, how]) => void globalThis.asked(what, how), [request, options]);
  await part(page, "dialog").waitFor();
}

/** What became of the n-th form. */
export async function result(page, index = 0) {
  await page.waitForFunction((at) => globalThis.results[at] !== undefined, index);
  return page.evaluate((at) => globalThis.results[at], index);
}

export const send = (page) => part(page, "submit").click();

/** Which element of the dialog has the focus: its label, name or text. */
export const focused = (page) =>
  page.evaluate(() => {
    const at = document.querySelector("pagehand-ask")?.shadowRoot.activeElement ?? document.activeElement;
    return at.labels?.[0]?.textContent.replace(" *", "") || at.getAttribute("aria-label") || at.id.replace(/^pagehand-\d+$/, "") || at.textContent;
  });

/** Fails over whatever axe finds. */
export async function accessible(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  assert.deepEqual(
    violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => node.html).join(" ")}`),
    [],
  );
}
