/**
 * Several pages of one conversation over AG-UI: one runs it, the others hear of its calls, lend their tools and take
 * over. Nothing of it is in one stream that all could read, so a message waits for the page that runs it to go.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startStage, until } from "./life/stage.mjs";

let browser;
before(async () => (browser = await startStage()));
after(() => browser?.close());

const shared = "shared-session";
const states = (events) => events.map((event) => event.state);

/** Opens pages one after another: the first is the owner. */
async function openAll(stage, queries, prepare) {
  const pages = [];
  for (const query of queries) {
    const page = await stage.open(`transport=ag-ui&session=${shared}&${query}`, prepare);
    await until("the store and the lock are asked", () => page.evaluate(async () => (await navigator.locks?.query())?.held.length !== 0));
    pages.push(page);
  }
  return pages;
}

async function crash(stage, page) {
  const devtools = await stage.context.newCDPSession(page);
  const crashed = new Promise((resolve) => page.on("crash", resolve));
  devtools.send("Page.crash").catch(() => undefined);
  await crashed;
}

const concluded = (stage) => until("the model has the last word", () => stage.demo.engine.messages(shared).at(-1)?.content === "Done.", 20_000);

/** How the turn of a message ends that a page sends. */
const outcome = (page, text, options = {}) => page.evaluate(([words, how]) => globalThis.stage.runtime.send(words, how).finished.then(({ status, error }) => ({ status, code: error?.code, message: error?.message })), [text, options]);

/** The owner crashes while a tool of it runs: the call is answered, and the tool does not run again. */
const crashInMidCall = async (stage, owner) => {
  stage.hold("acts");
  await stage.send(owner, "acts");
  await until("the tool runs", () => stage.times("acts") === 1);
  await crash(stage, owner);
  const [call] = await stage.settled(shared);
  assert.match(call.rendered, /interrupted/);
  await concluded(stage);
  assert.equal(stage.times("acts"), 1);
};

test("of two pages one runs the call, and the other hears of it", () =>
  browser.play(async (stage) => {
    const [owner, watcher] = await openAll(stage, ["", ""]);
    await stage.send(owner, "acts");
    const [call] = await stage.settled(shared);
    assert.equal(call.rendered, "acted");
    assert.equal(stage.times("acts"), 1);
    await stage.hears(watcher, "agent.tool.called");
    const told = await watcher.evaluate(() => globalThis.stage.events.filter((event) => event.remote).map((event) => event.type));
    for (const type of ["call", "agent.tool.calling", "agent.tool.called", "delivery"]) assert.ok(told.includes(type), `${type} of ${[...new Set(told)]}`);
    assert.ok(states(await stage.heard(watcher, "call")).includes("running"));
    assert.equal((await stage.heard(owner, "call")).filter((event) => event.remote).length, 0);
    await concluded(stage);
  }));

test("a message from the page that watches is refused after a while, with a reason, and does not reach the engine", () =>
  browser.play(async (stage) => {
    const [owner, watcher] = await openAll(stage, ["", ""]);
    const refused = await outcome(watcher, "acts");
    assert.equal(refused.status, "failed", JSON.stringify(refused));
    assert.match(refused.message, /page|tab/, JSON.stringify(refused));
    assert.deepEqual(stage.demo.engine.messages(shared), []);
    assert.equal((await outcome(owner, "reads")).status, "completed", "the owner is as it was");
    assert.equal(stage.times("acts"), 0);
  }));

test("a message from the page that watches is run by it when the owner closes in time", () =>
  browser.play(async (stage) => {
    const [owner, watcher] = await openAll(stage, ["", ""]);
    assert.equal((await outcome(owner, "reads")).status, "completed");
    const ended = outcome(watcher, "acts");
    // It waits, and nothing of it is sent.
    await watcher.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
    assert.equal(stage.demo.engine.messages(shared).filter((message) => message.role === "user").length, 1);
    await owner.close();
    assert.deepEqual(await ended.then(({ status, code }) => [status, code]), ["completed", undefined]);
    assert.deepEqual([stage.times("reads"), stage.times("acts")], [1, 1]);
    const roles = stage.demo.engine.messages(shared).map((message) => message.role);
    assert.deepEqual(roles, ["user", "assistant", "tool", "assistant", "user", "assistant", "tool", "assistant"], "one conversation goes on");
  }));

test("when the owner closes, another page takes its open question over", () =>
  browser.play(async (stage) => {
    const [owner, watcher] = await openAll(stage, ["", ""]);
    await stage.send(owner, "asks");
    await stage.hears(owner, "call", "awaiting-user");
    await owner.close();
    await watcher.waitForFunction(() => globalThis.stage.events.some((event) => event.state === "awaiting-user" && !event.remote));
    assert.equal(stage.times("asks"), 0);
    await watcher.evaluate(() => globalThis.approve());
    const [call] = await stage.settled(shared);
    assert.equal(call.rendered, "asked");
    assert.equal(stage.times("asks"), 1);
    await concluded(stage);
  }));

test("when the owner of three pages crashes in mid-call, one other answers, and nothing runs twice", () =>
  browser.play(async (stage) => {
    const [owner] = await openAll(stage, ["", "", ""]);
    await crashInMidCall(stage, owner);
    assert.equal(stage.demo.engine.messages(shared).filter((message) => message.role === "tool").length, 1);
  }));

test("when the owner crashes while its run streams, another page follows it to its end, and the message is not sent again", () =>
  browser.play(async (stage) => {
    const [owner, watcher] = await openAll(stage, ["", ""]);
    await stage.send(owner, "long");
    await until("the run is under way", () => stage.posts === 1);
    await crash(stage, owner);
    await until("the model has said it all", () => stage.demo.engine.messages(shared).at(-1)?.role === "assistant", 20_000);
    assert.equal((await outcome(watcher, "reads")).status, "completed");
    const said = stage.demo.engine.messages(shared).map((message) => message.role);
    assert.deepEqual(said, ["user", "assistant", "user", "assistant", "tool", "assistant"]);
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
    await stage.settled(shared);
    await concluded(stage);
    assert.equal(stage.times("asks"), 1);
  }));

test("a tool that only another page has is known to the model and runs there, and its answer is the owner's", () =>
  browser.play(async (stage) => {
    const [owner, other] = await openAll(stage, ["tools=reads", "tools=asks,acts"]);
    await stage.send(owner, "asks");
    await stage.hears(owner, "call", "awaiting-user");
    await other.evaluate(() => globalThis.approve());
    const [call] = await stage.settled(shared);
    assert.equal(call.rendered, "asked");
    assert.equal(stage.times("asks"), 1);
    await stage.hears(owner, "agent.tool.called");
    await concluded(stage);
  }));

test("a page that dies while it runs a tool for the owner ends the call with one error", () =>
  browser.play(async (stage) => {
    const [owner, other] = await openAll(stage, ["tools=reads", "tools=acts"]);
    stage.hold("acts");
    await stage.send(owner, "acts");
    await until("the tool runs", () => stage.times("acts") === 1);
    await crash(stage, other);
    const [call] = await stage.settled(shared);
    assert.notEqual(call.rendered, "acted");
    await concluded(stage);
    assert.equal(stage.times("acts"), 1);
  }));

test("without Web Locks a lease decides, and runs out when its holder crashes", () =>
  browser.play(async (stage) => {
    const without = () => Object.defineProperty(Navigator.prototype, "locks", { get: () => undefined });
    const [owner] = await openAll(stage, ["", ""], without);
    await crashInMidCall(stage, owner);
  }));

test("pages of one origin over different wires are in sessions of their own and do not stand in each other's way", () =>
  browser.play(async (stage) => {
    const [agUi] = await openAll(stage, [""]);
    const native = await stage.open("session=another-session");
    assert.deepEqual(await Promise.all([outcome(agUi, "acts"), outcome(native, "reads")]).then((ends) => ends.map((end) => end.status)), ["completed", "completed"]);
    assert.deepEqual([shared, "another-session"].map((session) => stage.demo.engine.calls(session).map((call) => call.rendered)), [["acted"], ["read"]]);
    for (const page of [agUi, native]) assert.equal((await stage.heard(page, "call")).filter((event) => event.remote).length, 0);
  }));
