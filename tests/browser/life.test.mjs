/** One page's life: reloads at every state of a call, sleep, navigation, no storage, a trap. Each call is answered once. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startStage, until } from "./life/stage.mjs";

let browser;
before(async () => (browser = await startStage()));
after(() => browser?.close());

/** Reloads and waits for the runtime of the new page, which must be in the same session. */
async function reload(stage, page) {
  const session = await stage.session(page);
  await page.reload();
  await stage.ready(page);
  assert.equal(await stage.session(page), session, "the tab goes on with its session");
  return session;
}

const errorOf = (call) => JSON.stringify(call.error);

/** A page in which the tool runs and does not end before it is released. */
async function heldIn(stage, tool) {
  const page = await stage.open();
  stage.hold(tool);
  await stage.send(page, tool);
  await until("the tool runs", () => stage.times(tool) === 1);
  return page;
}

test("a call that had not started runs in the page after the reload", () =>
  browser.play(async (stage) => {
    const page = await stage.open();
    await stage.send(page, "asks");
    await stage.hears(page, "call", "awaiting-user");
    const session = await reload(stage, page);
    await stage.hears(page, "call", "awaiting-user");
    await page.evaluate(() => globalThis.approve());
    const [call] = await stage.settled(session);
    assert.equal(call.status, "completed");
    assert.equal(stage.times("asks"), 1);
  }));

test("a call that ran when the page reloaded is answered as interrupted and does not run again", () =>
  browser.play(async (stage) => {
    const page = await heldIn(stage, "acts");
    const session = await reload(stage, page);
    const [call] = await stage.settled(session);
    assert.match(errorOf(call), /interrupted/);
    assert.equal(stage.times("acts"), 1);
  }));

for (const name of ["reads", "sets"]) {
  test(`a call of a tool that may run again (${name}) runs again after the reload, and one answer counts`, () =>
    browser.play(async (stage) => {
      const page = await stage.open();
      stage.hold(name);
      await stage.send(page, name);
      await until("the tool runs", () => stage.times(name) === 1);
      stage.release(name);
      stage.hold(name);
      const session = await reload(stage, page);
      stage.release(name);
      const [call] = await stage.settled(session);
      assert.equal(call.status, "completed");
    }));
}

test("an answer that was stored and not sent is sent by the next page, and the tool does not run again", () =>
  browser.play(async (stage) => {
    const page = await heldIn(stage, "acts");
    stage.block = true;
    stage.release("acts");
    await stage.hears(page, "delivery", "waiting");
    const session = await reload(stage, page);
    stage.block = false;
    const [call] = await stage.settled(session);
    assert.equal(call.status, "completed");
    assert.equal(stage.times("acts"), 1);
  }));

test("an answer that was taken and not confirmed is not run again", () =>
  browser.play(async (stage) => {
    const page = await heldIn(stage, "acts");
    stage.demo.engine.fault({ kind: "stall" });
    stage.release("acts");
    await stage.hears(page, "delivery", "sent");
    const session = await reload(stage, page);
    const [call] = await stage.settled(session);
    assert.equal(call.status, "completed");
    assert.equal(stage.times("acts"), 1);
  }));

test("an answer whose receipt was lost is sent again by the next page, and counts once", () =>
  browser.play(async (stage) => {
    const page = await heldIn(stage, "acts");
    stage.demo.engine.fault({ kind: "stall" });
    stage.demo.engine.fault({ kind: "dropResponse", route: "input", times: 1 });
    stage.release("acts");
    await stage.hears(page, "delivery", "sending");
    const session = await reload(stage, page);
    await stage.settled(session);
    assert.equal(stage.times("acts"), 1);
  }));

test("an answer under way when the page leaves arrives, by the page that comes back at the latest", () =>
  browser.play(async (stage) => {
    const page = await stage.open("tools=waits");
    await stage.send(page, "waits");
    await until("the tool runs", () => stage.times("waits") === 1);
    const session = await stage.session(page);
    // The page is gone before it can have been answered; whether its request outlives it, the browser decides.
    await page.evaluate(() => {
      // Once: to leave twice would put a second page between here and the way back.
      const stop = globalThis.stage.runtime.on("delivery", () => (stop(), location.assign("/elsewhere.html")));
      globalThis.openGate();
    });
    await page.waitForURL("**/elsewhere.html", { waitUntil: "commit" });
    await page.evaluate(() => history.back());
    const [call] = await stage.settled(session);
    assert.equal(call.status, "completed");
    assert.equal(stage.times("waits"), 1);
  }));

test("a page that was offline sends its answer when the network is back", () =>
  browser.play(async (stage) => {
    const page = await stage.open();
    await stage.send(page, "waits");
    await until("the tool runs", () => stage.times("waits") === 1);
    await stage.context.setOffline(true);
    await page.evaluate(() => globalThis.openGate());
    await stage.hears(page, "delivery", "parked");
    await stage.context.setOffline(false);
    const [call] = await stage.settled(await stage.session(page));
    assert.equal(call.status, "completed");
    assert.equal(stage.times("waits"), 1);
  }));

test("a page that comes back from the back-forward cache goes on where it was", () =>
  browser.play(async (stage) => {
    const page = await stage.open();
    await stage.send(page, "asks");
    await stage.hears(page, "call", "awaiting-user");
    const session = await stage.session(page);
    await page.evaluate(() => (globalThis.mark = "kept"));
    await page.goto(`${stage.demo.url}elsewhere.html`);
    // A page from the cache is not loaded: there is no load to wait for.
    await page.goBack({ waitUntil: "commit" });
    await stage.ready(page);
    const kept = await page.evaluate(() => globalThis.mark === "kept");
    assert.equal(stage.loads.length, 2);
    await page.evaluate(() => globalThis.approve());
    const [call] = await stage.settled(session);
    assert.equal(call.status, "completed");
    assert.equal(stage.times("asks"), 1);
    assert.ok(kept, "the page did not come from the cache");
  }));

test("a page that was frozen goes on when it thaws", () =>
  browser.play(async (stage) => {
    const page = await stage.open();
    await stage.send(page, "asks");
    await stage.hears(page, "call", "awaiting-user");
    const session = await stage.session(page);
    await stage.freeze(page);
    await page.waitForFunction(() => globalThis.stage.runtime.pending.length === 0);
    await stage.thaw(page);
    await page.waitForFunction(() => globalThis.stage.runtime.pending[0]?.state === "awaiting-user");
    await page.evaluate(() => globalThis.approve());
    const [call] = await stage.settled(session);
    assert.equal(call.status, "completed");
    assert.equal(stage.times("asks"), 1);
  }));

test("a tool that navigates answers first: one answer, one navigation, and the next page goes on with the session", () =>
  browser.play(async (stage) => {
    const page = await stage.open();
    const session = await stage.session(page);
    await stage.send(page, "leaves");
    await page.waitForURL(/arrived/);
    await stage.ready(page);
    assert.equal(await stage.session(page), session);
    const [call] = await stage.settled(session);
    assert.equal(call.status, "completed");
    assert.equal(stage.times("leaves"), 1);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    assert.equal(stage.loads.filter((url) => url.includes("arrived")).length, 1, "no loop");
    assert.equal(stage.posts, 2, "the message and the answer");
  }));

for (const [how, refuse] of [
  ["throws", () => (IDBFactory.prototype.open = () => { throw new DOMException("denied", "SecurityError"); })],
  ["is not allowed to open", () => (IDBFactory.prototype.open = () => {
    const request = { error: new DOMException("denied", "UnknownError") };
    setTimeout(() => request.onerror());
    return request;
  })],
]) {
  test(`where IndexedDB ${how}, calls are answered from memory, and one warning says so`, () =>
    browser.play(async (stage) => {
      const page = await stage.open("", refuse);
      await stage.send(page, "acts");
      const [call] = await stage.settled(await stage.session(page));
      assert.equal(call.status, "completed");
      assert.equal(stage.times("acts"), 1);
      assert.deepEqual((await stage.heard(page, "warning")).map((warning) => warning.code), ["store-unavailable"]);
    }));
}

for (const later of [false, true]) {
  test(`after a trap ${later ? "inside a task" : "in a method"}, a fresh module takes the session over`, () =>
    browser.play(async (stage) => {
      const page = await stage.open();
      stage.hold("acts");
      await stage.send(page, "acts");
      await until("the tool runs", () => stage.times("acts") === 1);
      const session = await stage.session(page);
      await page.evaluate((async) => globalThis.stage.runtime[Symbol.for("pagehand.trap")](async), later);
      await stage.hears(page, "fatal");
      assert.deepEqual((await stage.heard(page, "fatal")).map((event) => event.code), ["wasm-trapped"]);
      assert.equal((await stage.heard(page, "turn.finished")).length, 0);
      const [call] = await stage.settled(session);
      assert.match(errorOf(call), /interrupted/);
      stage.release("acts");
      await stage.send(page, "reads");
      const calls = await until("the new module works", () => {
        const found = stage.demo.engine.calls(session);
        return found.length === 2 && found.every((one) => one.status !== "pending" && one.result !== undefined) && stage.settled(session);
      });
      assert.equal(calls.find((one) => one.name === "reads").status, "completed");
      assert.equal(stage.times("acts"), 1);
      // What Rust says of its own panic is told in the page's console; nothing else may be.
      assert.deepEqual(page.trouble.filter((message) => !/unreachable/.test(message)), []);
    }));
}

test("nothing stored holds a token, and clear() leaves nothing", () =>
  browser.play(async (stage) => {
    const page = await stage.open();
    let bearer = "";
    page.on("request", (request) => (bearer = request.headers().authorization?.slice(7) ?? bearer));
    await stage.send(page, "acts");
    await stage.settled(await stage.session(page));
    const dump = () =>
      page.evaluate(async () => {
        const database = await new Promise((resolve) => (indexedDB.open("pagehand").onsuccess = ({ target }) => resolve(target.result)));
        const stores = [...database.objectStoreNames];
        const all = await Promise.all(
          stores.map((name) => new Promise((resolve) => (database.transaction(name).objectStore(name).getAll().onsuccess = ({ target }) => resolve([name, target.result])))),
        );
        database.close();
        return { records: all.find(([name]) => name === "records")[1].length, text: JSON.stringify([all, { ...sessionStorage }, { ...localStorage }]) };
      });
    const { records, text } = await dump();
    assert.equal(records, 1);
    assert.ok(bearer.length > 20);
    assert.ok(!text.includes(bearer) && !text.includes(bearer.split(".")[1]), "a token is stored");
    await page.evaluate(() => globalThis.stage.runtime.clear());
    assert.equal((await dump()).records, 0);
    const session = await stage.session(page);
    await page.reload();
    await stage.ready(page);
    assert.notEqual(await stage.session(page), session);
  }));
