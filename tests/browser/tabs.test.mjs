/** Several pages of one session: one runs the calls, the others watch, lend their tools and take over. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startStage, until } from "./life/stage.mjs";

let browser;
before(async () => (browser = await startStage()));
after(() => browser?.close());

const SESSION = "session=shared-session";
const states = (events) => events.map((event) => event.state);

/** Opens pages one after another: the first is the owner. */
async function openAll(stage, queries, prepare) {
  const pages = [];
  for (const query of queries) {
    const page = await stage.open(`${SESSION}&${query}`, prepare);
    // The stream is at its live edge, and whoever may own the session does.
    await stage.hears(page, "connection", "open");
    pages.push(page);
  }
  return pages;
}

const crash = async (stage, page) => {
  const devtools = await stage.context.newCDPSession(page);
  const crashed = new Promise((resolve) => page.on("crash", resolve));
  devtools.send("Page.crash").catch(() => undefined);
  await crashed;
};

test("of two pages one runs the call, and the other hears of it", () =>
  browser.play(async (stage) => {
    const [owner, watcher] = await openAll(stage, ["", ""]);
    await stage.send(owner, "acts");
    const [call] = await stage.settled("shared-session");
    assert.equal(call.status, "completed");
    assert.equal(stage.times("acts"), 1);
    await stage.hears(watcher, "agent.tool.called");
    const told = await watcher.evaluate(() => globalThis.stage.events.filter((event) => event.remote).map((event) => event.type));
    assert.deepEqual(new Set(told), new Set(["call", "agent.tool.calling", "agent.tool.called", "delivery", "tool.finished"]));
    assert.ok(states(await stage.heard(watcher, "call")).includes("running"));
    assert.equal((await stage.heard(owner, "call")).filter((event) => event.remote).length, 0);
  }));

test("a message sent from a page that watches is run by the owner, and its turn ends in the page that sent it", () =>
  browser.play(async (stage) => {
    const [, watcher] = await openAll(stage, ["", ""]);
    await stage.send(watcher, "acts");
    await stage.hears(watcher, "turn.finished");
    await stage.settled("shared-session");
    assert.equal(stage.times("acts"), 1);
  }));

test("when the owner closes, another page takes over within a second", () =>
  browser.play(async (stage) => {
    const [owner, watcher] = await openAll(stage, ["", ""]);
    await stage.send(owner, "asks");
    await stage.hears(owner, "call", "awaiting-user");
    const closed = Date.now();
    await owner.close();
    await watcher.waitForFunction(() => globalThis.stage.events.some((event) => event.state === "awaiting-user" && !event.remote));
    assert.ok(Date.now() - closed < 1_000, `it took ${Date.now() - closed} ms`);
    await watcher.evaluate(() => globalThis.approve());
    const [call] = await stage.settled("shared-session");
    assert.equal(call.status, "completed");
    assert.equal(stage.times("asks"), 1);
  }));

test("when the owner of three pages crashes in mid-call, one other answers, within a second, and nothing runs twice", () =>
  browser.play(async (stage) => {
    const [owner] = await openAll(stage, ["", "", ""]);
    stage.hold("acts");
    await stage.send(owner, "acts");
    await until("the tool runs", () => stage.times("acts") === 1);
    await crash(stage, owner);
    const crashed = Date.now();
    const [call] = await stage.settled("shared-session");
    assert.ok(Date.now() - crashed < 1_500, `it took ${Date.now() - crashed} ms`);
    assert.match(JSON.stringify(call.error), /interrupted/);
    assert.equal(stage.times("acts"), 1);
  }));

test("when the owner is frozen, another page takes over, and the thawed one watches", () =>
  browser.play(async (stage) => {
    const [owner, watcher] = await openAll(stage, ["", ""]);
    await stage.send(owner, "asks");
    await stage.hears(owner, "call", "awaiting-user");
    await stage.freeze(owner);
    await watcher.waitForFunction(() => globalThis.stage.events.some((event) => event.state === "awaiting-user" && !event.remote));
    await stage.thaw(owner);
    await Promise.all([owner, watcher].map((page) => page.evaluate(() => globalThis.approve())));
    await stage.settled("shared-session");
    assert.equal(stage.times("asks"), 1);
  }));

test("a tool that only another page has runs there, and its answer is the owner's", () =>
  browser.play(async (stage) => {
    const [owner, other] = await openAll(stage, ["tools=reads", "tools=asks,acts"]);
    await stage.send(owner, "asks");
    // The question is put where the tool is.
    await stage.hears(owner, "call", "awaiting-user");
    await other.evaluate(() => globalThis.approve());
    const [call] = await stage.settled("shared-session");
    assert.equal(call.status, "completed");
    assert.equal(call.rendered, "asked");
    assert.equal(stage.times("asks"), 1);
    await stage.hears(owner, "agent.tool.called");
  }));

test("a tool that runs in another page keeps its time by progress, which the owner hears", () =>
  browser.play(async (stage) => {
    const [owner] = await openAll(stage, ["tools=reads", "tools=steps"]);
    await stage.send(owner, "steps");
    const [call] = await stage.settled("shared-session");
    assert.equal(call.rendered, "stepped", JSON.stringify(call.error));
    assert.deepEqual((await stage.heard(owner, "tool.progress")).map((event) => event.value), [1, 2, 3, 4, 5, 6, 7, 8]);
  }));

test("a page that dies while it runs a tool for the owner ends the call with one error", () =>
  browser.play(async (stage) => {
    const [owner, other] = await openAll(stage, ["tools=reads", "tools=acts"]);
    stage.hold("acts");
    await stage.send(owner, "acts");
    await until("the tool runs", () => stage.times("acts") === 1);
    await crash(stage, other);
    const [call] = await stage.settled("shared-session");
    assert.equal(call.status, "errored");
    assert.equal(stage.times("acts"), 1);
  }));

test("a tool that both pages have runs in the owner's", () =>
  browser.play(async (stage) => {
    const [owner, watcher] = await openAll(stage, ["tools=acts", "tools=acts"]);
    await stage.send(watcher, "acts");
    await stage.hears(owner, "agent.tool.called");
    await stage.settled("shared-session");
    assert.equal((await stage.heard(watcher, "agent.tool.called")).every((event) => event.remote), true);
    assert.equal(stage.times("acts"), 1);
  }));

test("without Web Locks a lease decides, and runs out when its holder crashes", () =>
  browser.play(async (stage) => {
    const without = () => Object.defineProperty(Navigator.prototype, "locks", { get: () => undefined });
    const [owner, watcher] = await openAll(stage, ["", ""], without);
    stage.hold("acts");
    await stage.send(watcher, "acts");
    await until("the tool runs", () => stage.times("acts") === 1);
    assert.equal((await stage.heard(owner, "agent.tool.calling")).filter((event) => !event.remote).length, 1);
    await crash(stage, owner);
    const [call] = await stage.settled("shared-session");
    assert.match(JSON.stringify(call.error), /interrupted/);
    assert.equal(stage.times("acts"), 1);
  }));

test("a tab opened from another gets its session with its storage, and one of the two runs the call", () =>
  browser.play(async (stage) => {
    const first = await stage.open();
    await stage.hears(first, "connection", "open");
    const opening = stage.context.waitForEvent("page");
    await first.evaluate(() => void window.open(location.href));
    const second = await opening;
    await stage.ready(second);
    const session = await stage.session(first);
    assert.equal(await stage.session(second), session);
    await stage.hears(second, "connection", "open");
    await stage.send(second, "acts");
    await stage.settled(session);
    assert.equal(stage.times("acts"), 1);
  }));
