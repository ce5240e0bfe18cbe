/**
 * The demo's conversation without a person: clicks every suggestion in headless Chromium, fills in and allows what it
 * is asked, and prints for each call what the model wanted, what the page made of it and what the engine recorded.
 * It judges by the engine's own books. It always ends: a watchdog stops what hangs.
 */
import { startChromium } from "./lib/chromium.mjs";

const longestMs = 60_000;
const width = 200;

const cut = (text) => (text.length > width ? `${text.slice(0, width - 1)}…` : text);
const line = (name, text) => console.log(`    ${name.padEnd(15)}${cut(String(text).replaceAll("\n", " "))}`);

/** Rejects after a time; the browser and the server are then ended by the caller. */
function watchdog(ms) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the conversation did not end within ${ms / 1000} s`)), ms);
  });
  return { late, stop: () => clearTimeout(timer) };
}

/** Collects what the page's runtime tells; only kinds that the transcript needs. */
function listen() {
  const { runtime } = globalThis.demo;
  globalThis.heard = { classes: {}, reports: {} };
  runtime.on("call", (event) => {
    if (event.input) globalThis.heard.classes[event.callId] = { input: event.input, issues: event.issues ?? [] };
  });
  for (const type of ["agent.tool.called", "agent.tool.failed"]) {
    runtime.on(type, (report) => (globalThis.heard.reports[report.callId] = { output: report.output, error: report.error && { code: report.error.code, message: report.error.message }, consent: report.consent }));
  }
}

const heard = (page) => page.evaluate(() => ({ ...globalThis.heard, sessionId: globalThis.demo.runtime.sessionId }));

/** Answers the question that is on the screen: empty text fields get some words, then it is sent. */
async function answer(page, dialog) {
  for (const field of await dialog.locator("textarea, input:not([type]), input[type=text]:not([part~=reason])").all()) {
    if ((await field.inputValue()) === "") await field.fill("With love from the harbor");
  }
  await dialog.locator("[part~=submit]").click();
  await dialog.waitFor({ state: "detached" });
}

/** Clicks one suggestion and waits for its turn to end, answering the questions that come up. */
async function turn(page, suggestion) {
  await suggestion.click();
  let over = false;
  const ended = page.waitForFunction(() => document.body.dataset.turn !== "running").then(() => (over = true));
  ended.catch(() => {});
  while (!over) {
    const dialog = page.locator("pagehand-ask dialog").first();
    const asked = dialog.waitFor().then(() => answer(page, dialog));
    asked.catch(() => {});
    await Promise.race([ended, asked]);
  }
}

function tell(call, { classes, reports }) {
  const verdict = classes[call.id];
  const report = reports[call.id];
  const accepted = call.settlements.filter((settlement) => settlement.accepted);
  const settled = accepted.length === 1 && ["completed", "errored"].includes(call.status);
  console.log(`\n  ${settled ? "✓" : "✗"} ${call.name}  (${call.id}, attempt ${call.attempt})`);
  line("arguments", call.arguments || "(none)");
  line("classification", verdict ? [verdict.input, ...verdict.issues.map((issue) => issue.message)].join("; ") : "never classified");
  if (report?.consent) line("consent", `${report.consent.by}: ${report.consent.allowed ? "yes" : "no"}${report.consent.edited ? ", with other arguments" : ""}`);
  line("answer", report?.error ? `${report.error.code}: ${report.error.message}` : JSON.stringify(report?.output ?? null));
  line("recorded", `${call.status}, settled ${accepted.length === 1 ? "once" : `${accepted.length} times`}: ${JSON.stringify(call.result ?? call.error ?? null)}`);
  return settled;
}

async function converse(page, demo) {
  await page.goto(demo.url);
  await page.waitForFunction(() => document.body.dataset.ready);
  const code = await page.evaluate(() => (document.body.dataset.ready === "failed" ? document.querySelector(".bubble.failed").textContent : ""));
  if (code) throw new Error(code);
  await page.evaluate(listen);
  const told = new Set();
  let calls = 0;
  let bad = 0;
  for (const suggestion of await page.locator(".suggestion").all()) {
    console.log(`\n› ${await suggestion.textContent()}`);
    const late = await turn(page, suggestion).then(
      () => null,
      (error) => error,
    );
    const said = await heard(page);
    for (const call of await demo.engine.calls(said.sessionId)) {
      if (told.has(call.id)) continue;
      told.add(call.id);
      calls += 1;
      if (!tell(call, said)) bad += 1;
    }
    if (late) {
      console.log(`\n  ✗ the turn did not end: ${late.message.split("\n")[0]}`);
      bad += 1;
      break;
    }
    console.log(`\n‹ ${await page.locator(".bubble.assistant, .bubble.failed").last().textContent()}`);
  }
  console.log(`\n${calls} calls, ${bad ? "NOT all settled" : "each settled exactly once"}.`);
  return calls > 0 && bad === 0 ? 0 : 1;
}

/** Runs it all against what `start` gives; resolves to the exit code. */
export async function driveOnce(start, { turnMs = 10_000 } = {}) {
  const ends = [];
  const { late, stop } = watchdog(longestMs);
  try {
    const demo = await Promise.race([start(), late]);
    ends.push(demo.close);
    const browser = await Promise.race([startChromium({ viewport: { width: 1280, height: 900 } }), late]);
    ends.push(browser.close);
    const page = await browser.context.newPage();
    page.setDefaultTimeout(turnMs);
    page.on("pageerror", (error) => console.error(`  page error: ${error.message}`));
    return await Promise.race([converse(page, demo), late]);
  } catch (error) {
    console.error(`\nThe conversation failed: ${error.message}`);
    return 1;
  } finally {
    stop();
    const limit = new Promise((resolve) => setTimeout(resolve, 5_000).unref());
    await Promise.race([Promise.allSettled(ends.reverse().map((end) => end())), limit]);
  }
}
