/** Sessions of child agents: their store, their stream, and what other pages hear of them. */
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Emitter } from "../../src/js/emitter.ts";
import type { RuntimeEvent } from "../../src/js/events.ts";
import type { Host } from "../../src/js/host.ts";
import { Life, type LifeParts } from "../../src/js/life.ts";
import { MemoryStore, type Store } from "../../src/js/store.ts";
import { Tabs } from "../../src/js/tabs.ts";

function parts(storage: Store) {
  const machine = { gainOwnership: vi.fn(), loseOwnership: vi.fn(), registerTool: vi.fn(), unregisterTool: vi.fn() };
  const host = { fetch: async () => new Response(null, { status: 404 }), check: vi.fn(), repair: vi.fn(), consent: vi.fn(), invoke: vi.fn(), events: vi.fn() };
  const emit = vi.fn();
  const made: LifeParts = {
    runtime: {},
    emitter: new Emitter<RuntimeEvent>(),
    sessionId: "root",
    name: `test ${Math.random()}`,
    storage,
    host: host as unknown as Host,
    call: (run) => run(machine as never),
    warn: vi.fn(),
    specs: () => [],
    emit,
    read: (batch) => JSON.parse(batch) as RuntimeEvent[],
    alsoTell: () => undefined,
    refused: vi.fn(),
  };
  return { made, machine, host: made.host, emit };
}

const record = (sessionId: string, state: "started" | "ended" = "started") =>
  JSON.stringify({ key: { sessionId, callId: "1", attempt: 0 }, tool: "t", progress: { state } });

async function life(storage: Store = new MemoryStore()) {
  const page = parts(storage);
  const made = new Life(page.made);
  onTestFinished(() => made.close());
  await vi.waitFor(() => expect(page.machine.gainOwnership).toHaveBeenCalled());
  return { ...page, life: made, storage };
}

describe("the session of a child agent", () => {
  it("is taken over from the store, with what was left there, and written under its own epoch", async () => {
    const storage = new MemoryStore();
    const before = await storage.takeOver("child");
    await storage.write("child", before.epoch, { v: 1, key: { sessionId: "child", callId: "old", attempt: 0 }, tool: "t", progress: { state: "started" }, at: Date.now() });
    const { host } = await life(storage);
    expect(await host.persist?.(record("child"))).toBe("fenced");
    expect(await host.adopt?.("child")).toEqual([{ sessionId: "child", callId: "old", attempt: 0, state: "started" }]);
    expect(await host.persist?.(record("child"))).toBe("stored");
    expect(await host.persist?.(record("root"))).toBe("stored");
    expect(await storage.write("child", before.epoch, { v: 1, key: { sessionId: "child", callId: "2", attempt: 0 }, tool: "t", progress: { state: "started" }, at: 0 })).toBe("fenced");
    await host.retire?.("child", "1", 0);
    expect((await storage.takeOver("child")).records.map((one) => one.progress.state).sort()).toEqual(["ended", "started"]);
  });

  it("goes with the root: who lost that writes nothing any more", async () => {
    const { host, life: made } = await life();
    await host.adopt?.("child");
    made.close();
    expect(await host.persist?.(record("child"))).toBe("fenced");
    expect(await host.adopt?.("child")).toEqual([]);
    expect(await host.persist?.(record("child"))).toBe("fenced");
  });

  it("is not taken by who lost the root while it was asked for", async () => {
    const inner = new MemoryStore();
    const slow: Store = {
      takeOver: async (session) => {
        if (session === "child") await wait(20);
        return inner.takeOver(session);
      },
      write: (...args) => inner.write(...args),
      clear: () => inner.clear(),
      close: () => undefined,
    };
    const { host, life: made } = await life(slow);
    const adopted = host.adopt?.("child");
    made.close();
    expect(await adopted).toEqual([]);
    expect(await host.persist?.(record("child"))).toBe("fenced");
  });

  it("lives in memory alone, with a warning, where its store fails", async () => {
    const inner = new MemoryStore();
    const broken: Store = {
      takeOver: async (session) => {
        if (session === "child") throw new Error("disk full");
        return inner.takeOver(session);
      },
      write: (...args) => inner.write(...args),
      clear: () => inner.clear(),
      close: () => undefined,
    };
    const { host, made } = await life(broken);
    expect(await host.adopt?.("child")).toEqual([]);
    expect(made.warn).toHaveBeenCalledWith("store-unavailable", expect.stringContaining("disk full"));
    expect(await host.persist?.(record("child"))).toBe("failed");
    expect(await host.persist?.(record("root"))).toBe("stored");
  });

  it("may be refused without the tab's own being forgotten", async () => {
    const { host, made } = await life();
    const stream = (session: string) => new Request(`https://engine.test/api/client/sessions/${session}/events/stream?after_seq=0`);
    await host.fetch(stream("child"));
    expect(made.refused).not.toHaveBeenCalled();
    await host.fetch(stream("root"));
    expect(made.refused).toHaveBeenCalledOnce();
  });
});

it("another page hears of a child agent's calls, and not of the owner's own runs", async () => {
  const { made, emit } = parts(new MemoryStore());
  const tabs = new Tabs(made);
  const owner = new BroadcastChannel(made.name);
  onTestFinished(() => {
    tabs.close();
    owner.close();
  });
  const call = (sessionId: string) => ({ type: "call", sessionId, callId: "1", attempt: 0, name: "t", turnId: null, state: "running" });
  owner.postMessage({ type: "events", batch: JSON.stringify([call("root"), call("child"), call("")]), from: "owner" });
  await vi.waitFor(() => expect(emit).toHaveBeenCalledTimes(2));
  await wait(20);
  expect(emit.mock.calls).toMatchObject([[{ sessionId: "root", remote: true }], [{ sessionId: "child", remote: true }]]);
});
