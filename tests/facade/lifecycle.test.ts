/** Coming and going: registrations, closing, calling back in, late promises. */
import { describe, expect, it, vi } from "vitest";
import { type Runtime, tool } from "pagehand";
import { gate, oneCall, open } from "./page.ts";

const plain = (name: string, execute: () => unknown = () => name) => tool({ name, execute });

describe("registering", () => {
  it("refuses another tool of the same name, and takes the same tool twice", async () => {
    const { runtime } = await open({});
    const one = plain("t");
    const off = runtime.register(one);
    const offAgain = runtime.register(one);
    expect(() => runtime.register(plain("t"))).toThrow(expect.objectContaining({ code: "duplicate-tool" }));
    off();
    off();
    expect(runtime.declarations()).toHaveLength(1);
    offAgain();
    expect(runtime.declarations()).toEqual([]);
    runtime.register(plain("t"));
  });

  it("refuses what tool() did not make", async () => {
    const { runtime } = await open({});
    expect(() => runtime.register({ ...plain("t") })).toThrow(expect.objectContaining({ code: "invalid-tool" }));
  });

  it("ends with a signal, and never begins with one that has aborted", async () => {
    const { runtime } = await open({});
    const controller = new AbortController();
    runtime.register(plain("a"), { signal: controller.signal });
    runtime.register(plain("b"), { signal: AbortSignal.abort() });
    expect(runtime.declarations().map((one) => one.name)).toEqual(["a"]);
    controller.abort();
    expect(runtime.declarations()).toEqual([]);
  });

  it("serves several runtimes with one tool", async () => {
    const shared = plain("t", () => "shared");
    const first = await open(oneCall("t"), { tools: [shared] });
    const second = await open(oneCall("t"), { tools: [shared] });
    await Promise.all([first.runtime.send("go").finished, second.runtime.send("go").finished]);
    for (const { engine, runtime } of [first, second]) expect(engine.calls(runtime.sessionId)[0]?.rendered).toBe("shared");
  });

  it("waits a moment for a tool whose component is just mounting", async () => {
    const { engine, runtime } = await open({ ...oneCall("later"), agent: { tools: [{ name: "later", handler: "client" }] } }, { tuning: { unknownToolGrace: 2_000 } });
    runtime.on("call", (event) => {
      if (event.state === "received") setTimeout(() => runtime.register(plain("later", () => "mounted")), 20);
    });
    await runtime.send("go").finished;
    expect(engine.calls(runtime.sessionId)[0]?.rendered).toBe("mounted");
  });

  it("calls off what runs when its tool goes, even if the handler itself lets it go", async () => {
    const aborted = gate<boolean>();
    let off = () => {};
    const { engine, runtime } = await open(oneCall("t"));
    off = runtime.register(
      tool({
        name: "t",
        execute: async (_input, { signal }) => {
          off();
          aborted.open(signal.aborted);
          return "nobody listens";
        },
      }),
    );
    const result = await runtime.send("go").finished;
    expect(await aborted.promise).toBe(true);
    expect(result.report.children).toMatchObject([{ status: expect.stringMatching(/failed|cancelled/) }]);
    expect(engine.calls(runtime.sessionId)[0]?.status).toBe("errored");
  });
});

describe("calling back in", () => {
  it("lets a handler await another tool of the runtime, in the same lane too", async () => {
    let runtime!: Runtime;
    const inner = tool({ name: "inner", lane: "page", execute: (input) => ({ got: input.n }) });
    const outer = tool({ name: "outer", lane: "page", execute: async () => (await runtime.invoke("inner", { n: 4 })).data });
    const page = await open(oneCall("outer"), { tools: [inner, outer] });
    runtime = page.runtime;
    await runtime.send("go").finished;
    expect(page.engine.calls(runtime.sessionId)[0]?.rendered).toBe('{"got":4}');
  });

  it("lets listeners and handlers use the runtime while it tells them something", async () => {
    const { engine, runtime } = await open(
      { script: { rules: [{ when: { user: "first" }, call: [{ name: "t" }] }], otherwise: { say: "ok" } } },
      {
        tools: [
          tool({
            name: "t",
            execute: () => {
              runtime.register(plain("u"));
              return { pending: runtime.pending.length, state: runtime.state, tools: runtime.declarations().length };
            },
          }),
        ],
      },
    );
    const second = gate<unknown>();
    runtime.on("turn.finished", ({ turnId }) => {
      if (turnId === first.id) void runtime.send("second").finished.then(second.open);
    });
    const first = runtime.send("first");
    await first.finished;
    expect(await second.promise).toMatchObject({ status: "completed", text: "ok" });
    expect(JSON.parse(engine.calls(runtime.sessionId)[0]?.rendered ?? "")).toEqual({ pending: 1, state: "open", tools: 2 });
  });

  it("goes on when listeners of all kinds throw", async () => {
    const reported = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { runtime } = await open(oneCall("t"), { tools: [plain("t")] });
    for (const kind of ["connection", "call", "agent.tool.calling", "agent.tool.called", "turn.finished", "text"] as const) {
      runtime.on(kind, () => {
        throw new Error(kind);
      });
    }
    expect(await runtime.send("go").finished).toMatchObject({ status: "completed" });
    expect(reported).toHaveBeenCalled();
  });
});

describe("invoke", () => {
  it("runs a tool without a model, with the checks and the very value that was returned", async () => {
    const value = new Map([["a", 1]]);
    const { runtime } = await open({}, {
      tools: [tool({ name: "t", input: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] }, execute: () => value })],
    });
    const ok = await runtime.invoke("t", { n: 1 });
    expect(ok.data).toBe(value);
    expect(ok.report).toMatchObject({ type: "tool", name: "t", status: "completed", input: { n: 1 }, output: [["a", 1]] });
    const bad = await runtime.invoke("t", { n: "one" });
    expect(bad.error).toMatchObject({ name: "SchemaValidationError", code: "SCHEMA_VALIDATION_FAILED", issues: [{ path: "/n", keyword: "type" }] });
  });

  it("never rejects, whatever goes wrong", async () => {
    const cause = { odd: true };
    const { runtime } = await open({}, { tools: [plain("t", () => { throw cause; })] });
    const thrown = await runtime.invoke("t");
    expect(thrown.error).toMatchObject({ name: "ToolExecutionError", toolName: "t", cause });
    expect((await runtime.invoke("nobody")).error).toMatchObject({ code: "unknown-tool" });
    expect((await runtime.invoke("t", { f: () => 1 })).error).toMatchObject({ code: "malformed-arguments" });
    expect((await runtime.invoke("t", [1])).error).toMatchObject({ code: "malformed-arguments" });
    await runtime.close();
    expect((await runtime.invoke("t")).error).toMatchObject({ code: "closed" });
  });
});

describe("close", () => {
  it("ends turns and calls, tells handlers, and nothing is told afterwards", async () => {
    const started = gate();
    const never = gate<string>();
    const reasons: unknown[] = [];
    const { engine, runtime } = await open(oneCall("t"), {
      tools: [
        tool({
          name: "t",
          execute: (_input, { signal }) => {
            signal.addEventListener("abort", () => reasons.push((signal.reason as Error).message));
            started.open();
            return never.promise;
          },
        }),
      ],
    });
    const turn = runtime.send("go");
    const local = runtime.invoke("t");
    await started.promise;
    let told = 0;
    let closed = false;
    for (const kind of ["call", "connection", "delivery", "agent.tool.called", "agent.tool.failed", "turn.finished", "warning"] as const) {
      runtime.on(kind, () => {
        if (closed) told += 1;
      });
    }
    const closing = runtime.close();
    await Promise.all([closing, runtime.close()]);
    closed = true;
    expect(await turn.finished).toMatchObject({ status: "cancelled" });
    expect((await local).error).toBeDefined();
    expect(reasons.length).toBeGreaterThanOrEqual(1);
    never.open("late");
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(told).toBe(0);
    expect(engine.calls(runtime.sessionId)[0]?.settlements ?? []).toEqual([]);
    expect(runtime.state).toBe("closed");
    expect(runtime.pending).toEqual([]);
    for (const use of [() => runtime.send("x"), () => runtime.attach(), () => runtime.register(plain("x")), () => runtime.declarations()]) {
      expect(use).toThrow(expect.objectContaining({ code: "closed" }));
    }
  });

  it("may be called from inside a handler and a listener", async () => {
    const { runtime } = await open(oneCall("t"), { tools: [plain("t", () => runtime.close())] });
    runtime.on("turn.finished", () => void runtime.close());
    expect(await runtime.send("go").finished).toMatchObject({ status: "cancelled" });
  });

  it("comes with `await using`", async () => {
    let kept: Runtime;
    {
      const page = await open({});
      await using runtime = page.runtime;
      kept = runtime;
      expect(kept.state).toBe("idle");
    }
    expect(kept.state).toBe("closed");
  });

  it("outlives promises that settle after it", async () => {
    const token = gate<string>();
    const answer = gate<Response>();
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const page = await open({}, { token: () => token.promise });
    page.runtime.attach();
    await page.runtime.close();
    token.open("x");
    const other = await open({}, { fetch: () => answer.promise });
    other.runtime.attach();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await other.runtime.close();
    answer.fail(new Error("late"));
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
