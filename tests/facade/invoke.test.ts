/** `invoke` never throws or rejects, whatever it is given; alone it keeps the tool's promises too. */
import { describe, expect, it, vi } from "vitest";
import { PagehandError, ToolExecutionError, tool } from "pagehand";
import { BRISK, gate, oneCall, open } from "./page.ts";

const plain = tool({ name: "t", execute: (input) => input });
const throwing = () =>
  new Proxy(
    {},
    {
      get: () => {
        throw new Error("do not touch");
      },
      ownKeys: () => {
        throw new Error("do not touch");
      },
    },
  );
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

/** What nobody should give, and what becomes of it. */
const inputs: [string, () => unknown, string | undefined][] = [
  ["nothing", () => undefined, undefined],
  ["null", () => null, undefined],
  ["a list", () => [1], "malformed-arguments"],
  ["a number", () => 7, "malformed-arguments"],
  ["a text", () => "{}", "malformed-arguments"],
  ["a symbol", () => Symbol("x"), "malformed-arguments"],
  ["a function", () => () => 1, "malformed-arguments"],
  ["a cycle", () => { const a: Record<string, unknown> = {}; a.a = a; return a; }, "malformed-arguments"],
  ["a throwing proxy", throwing, "malformed-arguments"],
  ["a revoked proxy", revoked, "malformed-arguments"],
  ["an object without prototype", () => Object.create(null), undefined],
  ["a frozen object", () => Object.freeze({ a: 1 }), undefined],
];

describe("tool.invoke", () => {
  it.each(inputs)("with %s resolves", async (_name, input, code) => {
    const { error, report } = await plain.invoke(input());
    expect(error?.code).toBe(code);
    expect(report).toMatchObject({ type: "tool", name: "t", status: code ? "failed" : "completed" });
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["a number", 5],
    ["a frozen context", Object.freeze({ artifacts: {} })],
    ["a frozen bag", { artifacts: Object.freeze({}) }],
    ["a throwing proxy", throwing()],
    ["a revoked proxy", revoked()],
    ["a signal that is none", { signal: {} }],
  ])("with %s as its context resolves", async (_name, context) => {
    const result = await plain.invoke({}, context as never);
    expect(result.report.type).toBe("tool");
    expect("data" in result || result.error instanceof PagehandError).toBe(true);
  });

  it("hands the given bag through", async () => {
    const artifacts = { before: 1 };
    const made = tool({ name: "t", execute: (_input, ctx) => { ctx.artifacts.during = 2; } });
    const { report } = await made.invoke({}, { artifacts });
    expect(artifacts).toEqual({ before: 1, during: 2 });
    expect(report.artifacts).toBe(artifacts);
  });

  it("ends a handler that hangs past the tool's timeout, and tells it", async () => {
    const reasons: unknown[] = [];
    const made = tool({ name: "t", timeout: 30, execute: (_input, { signal, deadline }) => new Promise(() => {
      expect(deadline).toBeGreaterThan(Date.now() - 1);
      signal.addEventListener("abort", () => reasons.push(signal.reason));
    }) });
    const { error, report } = await made.invoke();
    expect(error).toMatchObject({ code: "deadline_exceeded" });
    expect(report).toMatchObject({ status: "failed", error: { code: "deadline_exceeded" } });
    expect(reasons).toEqual([expect.objectContaining({ name: "AbortError" })]);
  });

  it("lets a handler that says it is alive go on", async () => {
    const made = tool({ name: "t", timeout: 80, execute: async (_input, { progress }) => {
      for (let step = 0; step < 4; step += 1) {
        await new Promise((resolve) => setTimeout(resolve, 40));
        progress();
      }
      return "kept";
    } });
    expect((await made.invoke()).data).toBe("kept");
  });

  it("ends at once when its caller calls it off, whatever the handler does", async () => {
    const late = gate<string>();
    const reasons: unknown[] = [];
    const after = vi.fn();
    const controller = new AbortController();
    const made = tool({ name: "t", execute: (_input, ctx) => {
      ctx.signal.addEventListener("abort", () => reasons.push(ctx.signal.reason));
      ctx.after(after);
      return late.promise;
    } });
    const running = made.invoke({}, { signal: controller.signal });
    await vi.waitFor(() => expect(made).toBeDefined());
    setTimeout(() => controller.abort("enough"), 10);
    expect(await running).toMatchObject({ error: { code: "cancelled", cause: "enough" }, report: { status: "cancelled" } });
    expect(reasons).toEqual(["enough"]);
    late.fail(new Error("too late"));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(after).not.toHaveBeenCalled();
  });

  it("ends while a validator hangs, when its caller calls it off", async () => {
    const input = { "~standard": { version: 1, vendor: "test", validate: () => new Promise(() => undefined) } } as never;
    const execute = vi.fn();
    const made = tool({ name: "t", input, execute });
    expect((await made.invoke({}, { signal: AbortSignal.timeout(10) })).error?.code).toBe("cancelled");
    expect(execute).not.toHaveBeenCalled();
  });

  it("knows a handler that declines", async () => {
    const made = tool({ name: "t", execute: () => { throw new PagehandError("declined", "the person said no"); } });
    expect((await made.invoke()).error).toMatchObject({ code: "declined", message: "the person said no" });
  });

  it("wraps whatever a handler throws, an error of ours too", async () => {
    const inner = new ToolExecutionError("other", "deep");
    const made = tool({ name: "t", execute: () => { throw inner; } });
    const { error } = await made.invoke();
    expect(error).toMatchObject({ name: "ToolExecutionError", toolName: "t", message: "deep" });
    expect(error?.cause).toBe(inner);
  });

  it("puts the reports of tools that a tool runs with its own context under its own", async () => {
    const outer = tool({ name: "outer", execute: async (_input, ctx) => (await plain.invoke({ n: 1 }, ctx)).data });
    const { data, report } = await outer.invoke();
    expect(data).toEqual({ n: 1 });
    expect(report.children).toMatchObject([{ type: "tool", name: "t", output: { n: 1 } }]);
  });

  it("resolves with an error when what it needs cannot be loaded", async () => {
    vi.resetModules();
    vi.doMock("../../pkg/alone.js", () => {
      throw new Error("404");
    });
    const fresh = await import("pagehand");
    const { error, report } = await fresh.tool({ name: "t", execute: () => 1 }).invoke();
    expect(error).toMatchObject({ code: "validator-unavailable", message: expect.stringContaining("could not be loaded") });
    expect(report).toMatchObject({ name: "t", status: "failed" });
    vi.doUnmock("../../pkg/alone.js");
    vi.resetModules();
  });
});

it("a question whose part cannot be loaded is answered with no", async () => {
  vi.resetModules();
  vi.doMock("../../pkg/consent.js", () => {
    throw new Error("404");
  });
  const [fresh, { createTestEngine }] = await Promise.all([import("pagehand"), import("pagehand/testing")]);
  const engine = await createTestEngine(oneCall("t"));
  const ran = vi.fn();
  const made = fresh.tool({ name: "t", approve: true, execute: ran });
  const runtime = await fresh.createRuntime({ engine: engine.url, agent: "shop", token: () => engine.token(), fetch: engine.fetch, tools: [made], onApproval: () => true, tuning: BRISK });
  const { report } = await runtime.send("go").finished;
  expect(report.children).toMatchObject([{ status: "failed", error: { code: "declined" } }]);
  expect(ran).not.toHaveBeenCalled();
  await runtime.close();
  await engine.close();
  vi.doUnmock("../../pkg/consent.js");
  vi.resetModules();
});

describe("runtime.invoke", () => {
  it("resolves whatever it is given", async () => {
    const { runtime } = await open({}, { tools: [plain] });
    for (const [name, input, code] of inputs) {
      const { error, report } = await runtime.invoke("t", input());
      expect([name, error?.code]).toEqual([name, code]);
      expect(report.name).toBe("t");
    }
    for (const name of [Object.create(null), null, undefined, Symbol("t"), 5, throwing()]) {
      expect(await runtime.invoke(name as never)).toMatchObject({ error: { code: "invalid-options" }, report: { status: "failed" } });
    }
    expect((await runtime.invoke("nobody")).error?.code).toBe("unknown-tool");
    await runtime.close();
    expect((await runtime.invoke("t")).error?.code).toBe("closed");
  });

  it("ends, too, when the runtime is closed in the same breath", async () => {
    const { runtime } = await open({}, { tools: [plain] });
    const [ran, resumed] = [runtime.invoke("t"), runtime.resume("nobody", { some: "payload" })];
    await runtime.close();
    expect((await ran).error?.code).toBe("closed");
    expect((await resumed).error?.code).toBe("closed");
  });

  it("stamps the trip on the errors of handlers, and keeps what they threw", async () => {
    const cause = { odd: true };
    const { runtime } = await open(
      { script: { replies: [{ call: [{ name: "t" }] }, { call: [{ name: "t" }] }], otherwise: { say: "ok" } } },
      { tools: [tool({ name: "t", execute: () => { throw cause; } })] },
    );
    const errors: unknown[] = [];
    runtime.on("agent.tool.failed", (event) => errors.push(event.error));
    await runtime.send("go").finished;
    expect(errors).toMatchObject([
      { code: "TOOL_EXEC_FAILED", category: "tool", toolName: "t", tripIndex: 0 },
      { code: "TOOL_EXEC_FAILED", category: "tool", toolName: "t", tripIndex: 1 },
    ]);
    expect(errors.map((error) => (error as Error).cause)).toEqual([cause, cause]);
  });
});
