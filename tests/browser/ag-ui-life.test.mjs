/**
 * One page's life over AG-UI, against the same engine and with the same tools as over its own API: reloads at every state
 * of a call, a crash, a network that goes, navigation, sleep, a trap. Each call is answered once and runs once, or again
 * where it may.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startStage, until } from "./life/stage.mjs";

let browser;
before(async () => (browser = await startStage()));
after(() => browser?.close());

const wire = "transport=ag-ui";

/** The conversation as the engine has it has come to its end. */
const concluded = (stage, session) => until("the model has the last word", () => stage.demo.engine.messages(session).at(-1)?.content === "Done.", 20_000);

/** Waits until all is over: the one call was answered once, and the model heard it. */
async function settledOnce(stage, session) {
  const calls = await stage.settled(session);
  await concluded(stage, session);
  // Nothing comes later, either.
  const [call] = await stage.settled(session);
  assert.equal(calls.length, 1);
  assert.equal(stage.demo.engine.messages(session).filter((message) => message.role === "tool").length, 1, "the model reads one answer");
  return call;
}

/** Reloads and waits for the runtime of the new page, which must be in the same session. */
async function reload(stage, page) {
  const session = await stage.session(page);
  await page.reload();
  await stage.ready(page);
  assert.equal(await stage.session(page), session, "the tab goes on with its session");
  return session;
}

/** A page in which the tool runs and does not end before it is released. */
async function heldIn(stage, tool) {
  const page = await stage.open(wire);
  stage.hold(tool);
  await stage.send(page, tool);
  await until("the tool runs", () => stage.times(tool) === 1);
  return page;
}

async function crash(stage, page) {
  const devtools = await stage.context.newCDPSession(page);
  const crashed = new Promise((resolve) => page.on("crash", resolve));
  devtools.send("Page.crash").catch(() => undefined);
  await crashed;
}

test("a question that was open when the page reloaded is asked again, and its call runs once", () =>
  browser.play(async (stage) => {
    const page = await stage.open(wire);
    const asked = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await stage.send(page, "asks");
    await stage.hears(page, "call", "awaiting-user");
    const session = await reload(stage, page);
    await stage.hears(page, "call", "awaiting-user");
    assert.equal(stage.times("asks"), 0);
    await page.evaluate(() => globalThis.approve());
    assert.equal((await settledOnce(stage, session)).rendered, "asked");
    assert.equal(stage.times("asks"), 1);
    assert.deepEqual(asked.filter((path) => path.startsWith("/api/client/")), [], "all of it over AG-UI");
    assert.deepEqual(page.trouble, []);
  }));

test("a call that ran when the page reloaded is answered as interrupted and does not run again", () =>
  browser.play(async (stage) => {
    const page = await heldIn(stage, "acts");
    const session = await reload(stage, page);
    assert.match((await settledOnce(stage, session)).rendered, /interrupted/);
    assert.equal(stage.times("acts"), 1);
  }));

for (const [name, answer] of [["reads", "read"], ["sets", "set"]]) {
  test(`a call of a tool that may run again (${name}) runs again after the reload, and one answer counts`, () =>
    browser.play(async (stage) => {
      const page = await heldIn(stage, name);
      const session = await stage.session(page);
      await page.reload();
      await until("it runs again", () => stage.times(name) === 2);
      stage.release(name);
      assert.equal((await settledOnce(stage, session)).rendered, answer);
      assert.equal(stage.times(name), 2);
    }));
}

test("an answer that was kept and not sent is sent by the next page, and the tool does not run again", () =>
  browser.play(async (stage) => {
    const page = await heldIn(stage, "acts");
    stage.block = true;
    stage.release("acts");
    await stage.hears(page, "delivery", "waiting");
    const session = await reload(stage, page);
    stage.block = false;
    assert.equal((await settledOnce(stage, session)).rendered, "acted");
    assert.equal(stage.times("acts"), 1);
  }));

test("an answer that was kept when its page crashed is sent by the page that comes next", () =>
  browser.play(async (stage) => {
    const page = await heldIn(stage, "acts");
    const session = await stage.session(page);
    stage.block = true;
    stage.release("acts");
    await stage.hears(page, "delivery", "waiting");
    await crash(stage, page);
    stage.block = false;
    await stage.open(`${wire}&session=${session}`);
    assert.equal((await settledOnce(stage, session)).rendered, "acted");
    assert.equal(stage.times("acts"), 1);
  }));

test("an answer that was taken, and of which nothing more was heard before the reload, is not given again", () =>
  browser.play(async (stage) => {
    const page = await heldIn(stage, "acts");
    stage.demo.engine.fault({ kind: "stall" });
    stage.release("acts");
    await until("the engine has it", async () => stage.demo.engine.calls(await stage.session(page))[0]?.status === "completed");
    const session = await reload(stage, page);
    assert.equal((await settledOnce(stage, session)).rendered, "acted");
    assert.equal(stage.times("acts"), 1);
  }));

test("an answer whose receipt was lost counts once", () =>
  browser.play(async (stage) => {
    const page = await heldIn(stage, "acts");
    stage.demo.engine.fault({ kind: "dropResponse", route: "run", times: 1 });
    stage.release("acts");
    assert.equal((await settledOnce(stage, await stage.session(page))).rendered, "acted");
    await stage.hears(page, "turn.finished");
    assert.deepEqual((await stage.heard(page, "turn.finished")).map((turn) => [turn.status, turn.text]), [["completed", "Done."]]);
    assert.equal(stage.times("acts"), 1);
  }));

test("an answer under way when the page leaves arrives, by the page that comes back at the latest", () =>
  browser.play(async (stage) => {
    const page = await stage.open(`${wire}&tools=waits`);
    await stage.send(page, "waits");
    await until("the tool runs", () => stage.times("waits") === 1);
    const session = await stage.session(page);
    await page.evaluate(() => {
      // Once: to leave twice would put a second page between here and the way back.
      const stop = globalThis.stage.runtime.on("delivery", () => (stop(), location.assign("/elsewhere.html")));
      globalThis.openGate();
    });
    await page.waitForURL("**/elsewhere.html", { waitUntil: "commit" });
    await page.evaluate(() => history.back());
    assert.equal((await settledOnce(stage, session)).rendered, "waited");
    assert.equal(stage.times("waits"), 1);
  }));

test("a page that was offline while its tool ran sends the answer when the network is back", () =>
  browser.play(async (stage) => {
    const page = await stage.open(wire);
    await stage.send(page, "waits");
    await until("the tool runs", () => stage.times("waits") === 1);
    await stage.context.setOffline(true);
    const posts = stage.posts;
    await page.evaluate(() => globalThis.openGate());
    await stage.hears(page, "delivery", "parked");
    assert.equal(stage.posts, posts, "nothing is tried without a network");
    await stage.context.setOffline(false);
    assert.equal((await settledOnce(stage, await stage.session(page))).rendered, "waited");
    assert.equal(stage.times("waits"), 1);
  }));

test("a run that the network broke off in the middle of its words is told whole when the network is back", () =>
  browser.play(async (stage) => {
    const page = await stage.open(wire);
    const session = await stage.session(page);
    await page.evaluate(() => {
      globalThis.turn = globalThis.stage.runtime.send("long");
      globalThis.turn.finished.then((end) => (globalThis.end = end));
    });
    await page.waitForFunction(() => globalThis.turn.text.length > 50);
    await stage.context.setOffline(true);
    stage.cut();
    await until("the engine goes on by itself", () => stage.demo.engine.messages(session).at(-1)?.role === "assistant", 20_000);
    await stage.context.setOffline(false);
    await page.waitForFunction(() => globalThis.end);
    const end = await page.evaluate(() => [globalThis.end.status, globalThis.end.text]);
    assert.deepEqual(end, ["completed", "word ".repeat(600)]);
    assert.deepEqual(stage.demo.engine.messages(session).map((message) => message.role), ["user", "assistant"], "the message went out once");
  }));

test("a page that reloads in the middle of a run's words has the whole answer in its conversation", () =>
  browser.play(async (stage) => {
    const page = await stage.open(wire);
    await stage.send(page, "long");
    const session = await stage.session(page);
    await until("the run is under way", () => stage.posts === 1);
    await reload(stage, page);
    assert.equal(stage.demo.engine.messages(session).at(-1).role, "user", "the model is still talking");
    await until("the model has said it all", () => stage.demo.engine.messages(session).at(-1)?.content === "word ".repeat(600), 20_000);
    await stage.send(page, "reads");
    assert.equal((await settledOnce(stage, session)).rendered, "read");
    assert.deepEqual(stage.demo.engine.messages(session).map((message) => message.role), ["user", "assistant", "user", "assistant", "tool", "assistant"]);
  }));

test("a page that comes back from the back-forward cache goes on where it was", () =>
  browser.play(async (stage) => {
    const page = await stage.open(wire);
    await stage.send(page, "asks");
    await stage.hears(page, "call", "awaiting-user");
    const session = await stage.session(page);
    await page.evaluate(() => (globalThis.mark = "kept"));
    await page.goto(`${stage.demo.url}elsewhere.html`);
    await page.goBack({ waitUntil: "commit" });
    await stage.ready(page);
    const kept = await page.evaluate(() => globalThis.mark === "kept");
    await page.evaluate(() => globalThis.approve());
    assert.equal((await settledOnce(stage, session)).rendered, "asked");
    assert.equal(stage.times("asks"), 1);
    assert.ok(kept, "the page did not come from the cache");
  }));

test("a page that was frozen while it asked goes on when it thaws", () =>
  browser.play(async (stage) => {
    const page = await stage.open(wire);
    await stage.send(page, "asks");
    await stage.hears(page, "call", "awaiting-user");
    const session = await stage.session(page);
    await stage.freeze(page);
    await page.waitForFunction(() => globalThis.stage.runtime.pending.length === 0);
    await stage.thaw(page);
    await page.waitForFunction(() => globalThis.stage.runtime.pending[0]?.state === "awaiting-user");
    await page.evaluate(() => globalThis.approve());
    assert.equal((await settledOnce(stage, session)).rendered, "asked");
    assert.equal(stage.times("asks"), 1);
  }));

test("a tool that navigates answers first: one answer, one navigation, and the next page goes on with the session", () =>
  browser.play(async (stage) => {
    const page = await stage.open(wire);
    const session = await stage.session(page);
    await stage.send(page, "leaves");
    await page.waitForURL(/arrived/);
    await stage.ready(page);
    assert.equal(await stage.session(page), session);
    assert.equal((await settledOnce(stage, session)).rendered, "left");
    assert.equal(stage.times("leaves"), 1);
    assert.equal(stage.loads.filter((url) => url.includes("arrived")).length, 1, "no loop");
  }));

test("a turn called off while its tool runs stops the tool, and the next message is answered in the same conversation", () =>
  browser.play(async (stage) => {
    const page = await stage.open(wire);
    const session = await stage.session(page);
    await page.evaluate(() => void (globalThis.turn = globalThis.stage.runtime.send("waits")));
    await until("the tool runs", () => stage.times("waits") === 1);
    const status = await page.evaluate(() => {
      globalThis.turn.cancel("changed my mind");
      return globalThis.turn.finished.then((end) => end.status);
    });
    assert.equal(status, "cancelled");
    await until("the tool hears of it", () => stage.times("stopped") === 1);
    await page.evaluate(() => globalThis.openGate());
    const next = await page.evaluate(() => globalThis.stage.runtime.send("reads").finished.then(({ status, text }) => [status, text]));
    assert.deepEqual(next, ["completed", "Done."]);
    const calls = await stage.settled(session);
    assert.deepEqual(calls.map((call) => call.name), ["waits", "reads"]);
    assert.match(calls[0].rendered, /changed my mind|cancel/);
    assert.equal(stage.times("waits"), 1);
  }));

test("answers that the engine's AG-UI endpoint passes over go its native way, once, also after a reload", () =>
  browser.play(
    async (stage) => {
      const page = await stage.open(wire);
      stage.hold("sets");
      await stage.send(page, "acts");
      const session = await stage.session(page);
      assert.equal((await settledOnce(stage, session)).rendered, "acted");
      await stage.hears(page, "turn.finished");
      await stage.send(page, "sets");
      await until("the tool runs", () => stage.times("sets") === 1);
      await reload(stage, page);
      stage.release("sets");
      await until("it runs again, and the model hears of it", () => stage.demo.engine.messages(session).filter((message) => message.content === "Done.").length === 2, 20_000);
      const calls = await stage.settled(session);
      assert.deepEqual(calls.map((call) => call.rendered), ["acted", "set"]);
      assert.equal(stage.times("acts"), 1);
    },
    { switches: { agUiAnswers: "dropped" } },
  ));

test("where IndexedDB is not allowed, calls are answered from memory, and one warning says so", () =>
  browser.play(async (stage) => {
    const page = await stage.open(wire, () => (IDBFactory.prototype.open = () => { throw new DOMException("denied", "SecurityError"); }));
    await stage.send(page, "acts");
    assert.equal((await settledOnce(stage, await stage.session(page))).rendered, "acted");
    assert.equal(stage.times("acts"), 1);
    assert.deepEqual((await stage.heard(page, "warning")).map((warning) => warning.code), ["store-unavailable"]);
  }));

test("after a trap, a fresh module takes the session over and the conversation goes on", () =>
  browser.play(async (stage) => {
    const page = await heldIn(stage, "acts");
    const session = await stage.session(page);
    await page.evaluate(() => globalThis.stage.runtime[Symbol.for("pagehand.trap")](false));
    await stage.hears(page, "fatal");
    assert.deepEqual((await stage.heard(page, "fatal")).map((event) => event.code), ["wasm-trapped"]);
    assert.match((await settledOnce(stage, session)).rendered, /interrupted/);
    stage.release("acts");
    await stage.send(page, "reads");
    await until("the new module works", () => stage.demo.engine.calls(session).find((call) => call.name === "reads")?.rendered === "read");
    assert.equal(stage.times("acts"), 1);
  }));

test("what is kept of the conversation holds no token, and clear() leaves nothing of it", () =>
  browser.play(async (stage) => {
    const page = await stage.open(wire);
    let bearer = "";
    page.on("request", (request) => (bearer = request.headers().authorization?.slice(7) ?? bearer));
    await stage.send(page, "acts, and my secret is gull-42");
    await settledOnce(stage, await stage.session(page));
    await stage.hears(page, "turn.finished");
    const dump = () =>
      page.evaluate(async () => {
        const database = await new Promise((resolve) => (indexedDB.open("pagehand").onsuccess = ({ target }) => resolve(target.result)));
        const all = await Promise.all([...database.objectStoreNames].map((name) => new Promise((resolve) => (database.transaction(name).objectStore(name).getAll().onsuccess = ({ target }) => resolve([name, target.result])))));
        database.close();
        return JSON.stringify([all, { ...sessionStorage }, { ...localStorage }]);
      });
    const text = await dump();
    assert.ok(text.includes("gull-42"), "the conversation is kept for a reload");
    assert.ok(bearer.length > 20 && !text.includes(bearer) && !text.includes(bearer.split(".")[1]), "a token is stored");
    await page.evaluate(() => globalThis.stage.runtime.clear());
    assert.ok(!(await dump()).includes("gull-42"), "words are left");
  }));
