/** Which session a page continues, what a runtime does with its store, and what happens where there is none. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createRuntime, tool, type Runtime, type RuntimeOptions, type Store, type StoredRecord } from "pagehand";
import { type TestEngine, createTestEngine } from "pagehand/testing";
import { BRISK, oneCall } from "./page.ts";

/** A tab: its storage lives on while pages come and go. */
function openTab(): Map<string, string> {
  const kept = new Map<string, string>();
  vi.stubGlobal("document", new EventTarget());
  vi.stubGlobal("BroadcastChannel", undefined);
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  });
  return kept;
}

async function page(engine: TestEngine, options: Partial<RuntimeOptions> = {}): Promise<Runtime> {
  const runtime = await createRuntime({ engine: engine.url, agent: "shop", token: () => engine.token(), fetch: engine.fetch, ...options, tuning: BRISK });
  onTestFinished(() => runtime.close());
  return runtime;
}

async function engineFor(options: Parameters<typeof createTestEngine>[0] = {}): Promise<TestEngine> {
  const engine = await createTestEngine({ deltaIntervalMs: 1, ...options });
  onTestFinished(() => engine.close());
  return engine;
}

describe("the session", () => {
  it("is the tab's, page after page, and another one for another agent", async () => {
    openTab();
    const engine = await engineFor();
    const first = await page(engine);
    expect(first.state).toBe("idle");
    await first.close();
    const second = await page(engine);
    expect(second.sessionId).toBe(first.sessionId);
    expect(second.state).not.toBe("idle");
    expect((await page(engine, { agent: "other" })).sessionId).not.toBe(first.sessionId);
  });

  it("is never shared by two runtimes of one page", async () => {
    openTab();
    const engine = await engineFor();
    const [one, other] = [await page(engine), await page(engine)];
    expect(one.sessionId).not.toBe(other.sessionId);
    await one.close();
    await other.close();
    expect((await page(engine)).sessionId).toBe(one.sessionId);
  });

  it("is new where that is asked for, named where it is named, and forgotten by clear()", async () => {
    openTab();
    const engine = await engineFor();
    const first = await page(engine);
    await first.close();
    const fresh = await page(engine, { session: "new" });
    expect(fresh.sessionId).not.toBe(first.sessionId);
    expect((await page(engine, { session: "by-name" })).sessionId).toBe("by-name");
    await fresh.clear();
    await fresh.close();
    expect((await page(engine)).sessionId).not.toBe(fresh.sessionId);
  });

  it("is new where there is no tab, or its storage refuses", async () => {
    const engine = await engineFor();
    expect((await page(engine)).sessionId).not.toBe((await page(engine)).sessionId);
    openTab();
    vi.stubGlobal("sessionStorage", { getItem: () => { throw new DOMException("no", "SecurityError"); } });
    expect((await page(engine)).sessionId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("is given up when the engine says it is another user's", async () => {
    const kept = openTab();
    const engine = await engineFor();
    const first = await page(engine, { token: () => engine.token("ana") });
    expect(await first.send("hello").finished).toMatchObject({ status: "completed" });
    await first.close();
    const second = await page(engine, { token: () => engine.token("bruno") });
    await vi.waitFor(() => expect(second.state).toBe("stopped"));
    await vi.waitFor(() => expect(kept.size).toBe(0));
  });
});

describe("the store", () => {
  it("keeps two runtimes of one session in one process from running a call twice", async () => {
    const engine = await engineFor(oneCall("buy"));
    let runs = 0;
    const options = { session: "shared", storage: "memory" as const };
    const buy = () => tool({ name: "buy", execute: () => ++runs });
    const first = await page(engine, { ...options, tools: [buy()] });
    const second = await page(engine, { ...options, tools: [buy()] });
    second.attach();
    expect((await first.send("go").finished).status).toBe("completed");
    expect(runs).toBe(1);
  });

  it("that is badly made is told of and replaced by memory, and nothing rejects unheard", async () => {
    const engine = await engineFor(oneCall("t"));
    const storage = { takeOver: async () => undefined, write: async () => "stored", clear: async () => undefined };
    const runtime = await page(engine, { storage: storage as unknown as Store, tools: [tool({ name: "t", execute: () => 1 })] });
    const warned: string[] = [];
    runtime.on("warning", ({ code }) => warned.push(code));
    expect((await runtime.send("go").finished).status).toBe("completed");
    expect(warned).toContain("store-unavailable");
  });

  it("may be one of the app's own, and is written before a tool runs and before its answer goes", async () => {
    const engine = await engineFor(oneCall("t"));
    const written: string[] = [];
    const store: Store = {
      takeOver: async () => ({ epoch: 7, records: [] }),
      write: async (_session, epoch, record) => {
        expect(epoch).toBe(7);
        written.push(record.progress.state);
        if (record.progress.state === "answered") expect(engine.calls(runtime.sessionId)[0]?.settlements).toEqual([]);
        return "stored";
      },
      clear: async () => void written.push("cleared"),
      close: () => void written.push("closed"),
    };
    const runtime = await page(engine, { storage: store, tools: [tool({ name: "t", execute: () => void written.push("ran") })] });
    await runtime.send("go").finished;
    await runtime.clear();
    await runtime.close();
    await vi.waitFor(() => expect(written).toEqual(["started", "ran", "answered", "ended", "cleared", "closed"]));
  });

  it("that keeps an answer has it sent, and the tool is not run again", async () => {
    const engine = await engineFor(oneCall("t"));
    const kept = new Map<string, StoredRecord>();
    let epochs = 0;
    const store: Store = {
      takeOver: async () => ({ epoch: ++epochs, records: [...kept.values()] }),
      write: async (_session, epoch, record) => (epoch === epochs ? (kept.set(record.key.callId, record), "stored") : "fenced"),
      clear: async () => kept.clear(),
      close: () => undefined,
    };
    let runs = 0;
    const tools = [tool({ name: "t", execute: () => ++runs })];
    let away = false;
    const fetch: typeof globalThis.fetch = (request) => (away && (request as Request).method === "POST" ? Promise.reject(new TypeError("away")) : engine.fetch(request));
    const first = await page(engine, { storage: store, session: "s", tools, fetch: fetch as RuntimeOptions["fetch"] });
    first.on("agent.tool.calling", () => (away = true));
    first.send("go");
    await vi.waitFor(() => expect(kept.get("call_1")?.progress.state).toBe("answered"));
    await first.close();
    away = false;
    await page(engine, { storage: store, session: "s", tools });
    await vi.waitFor(() => expect(kept.get("call_1")?.progress.state).toBe("ended"));
    expect(engine.calls("s")[0]?.settlements.filter((one) => one.accepted)).toHaveLength(1);
    expect(runs).toBe(1);
  });

  it("that cannot be taken over leaves one warning, and calls are answered", async () => {
    const engine = await engineFor(oneCall("t"));
    const broken: Store = { takeOver: () => Promise.reject(new Error("no disk")), write: async () => "failed", clear: async () => undefined, close: () => undefined };
    const codes: string[] = [];
    const runtime = await page(engine, { storage: broken, tools: [tool({ name: "t", execute: () => "ok" })] });
    runtime.on("warning", ({ code }) => codes.push(code));
    expect(await runtime.send("go").finished).toMatchObject({ status: "completed" });
    expect(engine.calls(runtime.sessionId)[0]?.status).toBe("completed");
    expect(codes.filter((code) => code === "store-unavailable").length).toBeLessThanOrEqual(1);
  });

  it("that says another page has the call has the page stand in line again", async () => {
    const engine = await engineFor(oneCall("t"));
    let fence = true;
    let takeovers = 0;
    const store: Store = {
      takeOver: async () => ({ epoch: ++takeovers, records: [] }),
      write: async () => (fence ? ((fence = false), "fenced") : "stored"),
      clear: async () => undefined,
      close: () => undefined,
    };
    let runs = 0;
    const runtime = await page(engine, { storage: store, tools: [tool({ name: "t", execute: () => ++runs })] });
    expect(await runtime.send("go").finished).toMatchObject({ status: "completed" });
    expect([takeovers, runs]).toEqual([2, 1]);
  });

  it("is refused where it is none", async () => {
    for (const storage of ["disk", {}, 7, null]) {
      await expect(createRuntime({ engine: "https://e.test", agent: "a", storage: storage as never })).rejects.toMatchObject({ code: "invalid-options" });
    }
  });
});

describe("a trap", () => {
  for (const later of [false, true]) {
    it(`${later ? "inside a task" : "in a method"} ends what was under way for every runtime of the page, and all go on`, async () => {
      vi.spyOn(console, "error").mockImplementation(() => undefined);
      const engine = await engineFor({ script: { rules: [{ when: { user: "go" }, call: [{ name: "t" }] }], otherwise: { say: "Done." } } });
      const unreachable = vi.fn();
      process.on("uncaughtException", unreachable);
      onTestFinished(() => void process.off("uncaughtException", unreachable));
      let runs = 0;
      const tools = [tool({ name: "t", execute: () => (++runs === 1 ? new Promise(() => undefined) : "ok") })];
      const [one, other] = [await page(engine, { tools }), await page(engine, { tools })];
      const fatal: string[] = [];
      for (const runtime of [one, other]) runtime.on("fatal", ({ code }) => fatal.push(code));
      const turn = one.send("go");
      await vi.waitFor(() => expect(runs).toBe(1));
      (one as unknown as Record<symbol, (later: boolean) => void>)[Symbol.for("pagehand.trap")]?.(later);
      expect(await turn.finished).toMatchObject({ status: "failed", error: { code: "wasm-trapped" } });
      expect(fatal).toEqual(["wasm-trapped", "wasm-trapped"]);
      await vi.waitFor(() => expect(JSON.stringify(engine.calls(one.sessionId)[0]?.error)).toContain("interrupted"));
      expect(await other.send("go").finished).toMatchObject({ status: "completed" });
      expect((await one.invoke("t")).data).toBe("ok");
      expect(engine.calls(one.sessionId)[0]?.settlements.filter((each) => each.accepted)).toHaveLength(1);
      expect(runs).toBe(3);
    });
  }
});

describe("an answer's request", () => {
  it("outlives its page where it is small enough, all of them together", async () => {
    const engine = await engineFor({ script: { replies: [{ call: ["a", "b", "c", "small"].map((id) => ({ name: "t", id, arguments: { size: id === "small" ? 1 : 25_000 } })) }], otherwise: { say: "Done." } } });
    const seen: [number, boolean][] = [];
    const runtime = await page(engine, {
      tools: [tool({ name: "t", input: { type: "object", properties: { size: { type: "integer" } }, required: ["size"] }, execute: ({ size }) => "x".repeat(size) })],
      fetch: async (request) => {
        const size = request.method === "POST" ? (await request.clone().text()).length : 0;
        if (size > 0) seen.push([size, request.keepalive]);
        // All four are under way at once.
        if (size > 0) await new Promise((resolve) => setTimeout(resolve, 50));
        return engine.fetch(request);
      },
    });
    expect(await runtime.send("go").finished).toMatchObject({ status: "completed" });
    const large = seen.filter(([size]) => size > 25_000).map(([, keepalive]) => keepalive);
    expect(large.sort()).toEqual([false, true, true]);
    expect(seen.filter(([size]) => size < 25_000).map(([, keepalive]) => keepalive)).toEqual([true, true]);
  });
});

describe("ctx.after", () => {
  it("runs once the engine has the answer, and once the call has ended where there is no engine", async () => {
    const engine = await engineFor(oneCall("t"));
    const seen: unknown[] = [];
    const runtime = await page(engine, {
      tools: [tool({ name: "t", execute: (_input, { after }) => (after(() => seen.push(engine.calls(runtime.sessionId)[0]?.settlements.length ?? "local")), "gone") })],
    });
    await runtime.send("go").finished;
    expect(seen).toEqual([1]);
    await runtime.invoke("t");
    expect(seen).toEqual([1, 1]);
    const alone = tool({ name: "alone", execute: (_input, { after }) => after(() => seen.push("alone")) });
    await alone.invoke();
    await Promise.resolve();
    expect(seen).toEqual([1, 1, "alone"]);
  });

  it("disturbs nobody when it throws", async () => {
    const reported = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const engine = await engineFor(oneCall("t"));
    const runtime = await page(engine, { tools: [tool({ name: "t", execute: (_input, { after }) => after(() => { throw new Error("late"); }) })] });
    expect(await runtime.send("go").finished).toMatchObject({ status: "completed" });
    expect(reported).toHaveBeenCalled();
  });
});
