/**
 * What the browser tests share: a demo server and a Chromium, a page in a variant, one message and its turn,
 * and a list of what no page may do (errors, refused policies). Each test file starts one browser and ends it.
 */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { startChromium } from "../../scripts/lib/chromium.mjs";
import { startDemo } from "../../www/server.mjs";

const screenshots = fileURLToPath(new URL("../.out/screenshots/", import.meta.url));

/** The four looks of the page. */
export const variants = [
  { name: "1280-light", width: 1280, height: 900, colorScheme: "light" },
  { name: "1280-dark", width: 1280, height: 900, colorScheme: "dark" },
  { name: "390-light", width: 390, height: 844, colorScheme: "light" },
  { name: "390-dark", width: 390, height: 844, colorScheme: "dark" },
];

/** Starts one Chromium for a file's tests; `page` gives a fresh page that records what goes wrong in it. */
export async function startBrowser() {
  const { context, close } = await startChromium({ viewport: null });
  const browser = context.browser();
  async function page({ width = 1280, height = 900, ...options } = {}) {
    const own = await browser.newContext({ viewport: { width, height }, ...options });
    const opened = await own.newPage();
    opened.setDefaultTimeout(15_000);
    const trouble = [];
    opened.on("pageerror", (error) => trouble.push(`error: ${error.message}`));
    opened.on("console", (message) => {
      if (message.type() === "error") trouble.push(`console: ${message.text()}`);
    });
    return Object.assign(opened, { trouble, end: () => own.close() });
  }
  return { page, close };
}

/** Runs `work` with a demo server of its own. */
export async function withDemo(options, work) {
  const demo = await startDemo(options);
  try {
    return await work(demo);
  } finally {
    await demo.close();
  }
}

/** Opens the shop and waits until its assistant is there. */
export async function openShop(page, demo) {
  await page.goto(demo.url);
  await page.waitForFunction(() => document.body.dataset.ready);
  assert.equal(await page.evaluate(() => document.body.dataset.ready), "true", await page.locator(".log").textContent());
}

/** Collects every event of some kinds from now on; read with `heard(page)`. */
export const listen = (page, kinds) =>
  page.evaluate((types) => {
    globalThis.heard ??= [];
    for (const type of types) globalThis.demo.runtime.on(type, (event) => globalThis.heard.push(event));
  }, kinds);

export const heard = (page) => page.evaluate(() => globalThis.heard);

/** Waits for the turn that was just begun to end. */
export async function turnEnded(page, status = "completed") {
  await page.waitForFunction(() => document.body.dataset.turn !== "running");
  assert.equal(await page.evaluate(() => document.body.dataset.turn), status, await page.locator(".log").textContent());
}

/** A part of the dialog in which the page asks. */
export const dialogPart = (page, name) => page.locator(`pagehand-ask [part~="${name}"]`);

/** Clicks a suggestion and, where a question comes up, yes or no; ends with the turn. */
export async function say(page, words, answer) {
  await page.locator(".suggestion", { hasText: words }).click();
  if (answer) await dialogPart(page, answer === "yes" ? "submit" : "cancel").click();
  await turnEnded(page);
}

/** The last thing the assistant said. */
export const lastWords = (page) => page.locator(".bubble.assistant").last().textContent();

/** The engine's own books on the page's session. */
export async function booksOf(page, demo) {
  return demo.engine.calls(await page.evaluate(() => globalThis.demo.runtime.sessionId));
}

/** Each call must have been settled once, and be over. */
export function assertSettledOnce(calls) {
  for (const call of calls) {
    const accepted = call.settlements.filter((settlement) => settlement.accepted);
    assert.equal(accepted.length, 1, `${call.name} (${call.id}) was settled ${accepted.length} times`);
    assert.match(call.status, /^(completed|errored)$/, `${call.name} (${call.id}) is ${call.status}`);
  }
}

/** Leaves a picture in `tests/.out/screenshots`. */
export async function picture(page, name, options = {}) {
  mkdirSync(screenshots, { recursive: true });
  await page.screenshot({ path: `${screenshots}${name}.png`, animations: "disabled", ...options });
}
