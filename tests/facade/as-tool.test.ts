/** Functions and workflows as tools. */
import { describe, expect, it, vi } from "vitest";
import { PagehandError, ToolExecutionError, asTool, tool } from "pagehand";
import { oneCall, open } from "./page.ts";

const inputSchema = { type: "object", properties: { url: { type: "string" } }, required: ["url"] } as const;

class WorkflowError extends Error {}

/** A workflow: an object that says by an envelope how its run went. */
const workflow = (result: object) => ({
  name: "ingest",
  runs: 0,
  async execute(input: { url: string }, options: { signal: AbortSignal }) {
    this.runs += 1;
    return { report: { type: "workflow", name: this.name, steps: [input.url, options.signal.aborted] }, ...result };
  },
});

describe("asTool", () => {
  it("runs a function with the input and the context", async () => {
    const run = vi.fn(({ url }: { url: string }, { artifacts }: { artifacts: Record<string, unknown> }) => {
      artifacts.seen = url;
      return url.length;
    });
    const made = asTool(run, { name: "measure", description: "Measures it", inputSchema });
    expect(made).toMatchObject({ name: "measure", description: "Measures it" });
    const { data, report } = await made.invoke({ url: "abc" });
    expect(data).toBe(3);
    expect(report).toMatchObject({ artifacts: { seen: "abc" }, checks: { input: "valid" } });
    expect(report.children).toBeUndefined();
    expect((await made.invoke({ url: 1 })).error?.code).toBe("SCHEMA_VALIDATION_FAILED");
    expect(run).toHaveBeenCalledOnce();
  });

  it.each(["execute", "run", "invoke"])("starts an object by its %s, as its own method", async (method) => {
    const runnable = { name: "flow", from: "itself", [method](this: { from: string }, input: unknown) { return [this.from, input]; } };
    expect((await asTool(runnable as never, {}).invoke({ a: 1 })).data).toEqual(["itself", { a: 1 }]);
  });

  it("takes the runnable's name where no other is given", () => {
    async function checkout() {}
    expect(asTool(checkout).name).toBe("checkout");
    expect(asTool(workflow({})).name).toBe("ingest");
    expect(asTool(checkout, { name: "pay" }).name).toBe("pay");
  });

  it.each<[string, () => unknown, RegExp]>([
    ["no name", () => asTool((() => () => 1)(), {}), /^name /],
    ["nothing to run", () => asTool({ name: "x" } as never), /must be a function/],
    ["null", () => asTool(null as never), /must be a function/],
    ["a mode", () => asTool(() => 1, { name: "t", mode: "silent" } as never), /^mode /],
    ["an execute", () => asTool(() => 1, { name: "t", execute: () => 1 } as never), /^execute /],
    ["a key nobody knows", () => asTool(() => 1, { name: "t", descripton: "x" } as never), /descripton of tool "t" is not known; did you mean "description"/],
  ])("refuses %s", (_name, make, words) => {
    expect(make).toThrow(expect.objectContaining({ code: "invalid-tool", message: expect.stringMatching(words) }));
  });

  it("opens an envelope, and puts its report under the call's", async () => {
    const { engine, runtime } = await open(oneCall("ingest", { url: "https://shop.example" }), { tools: [asTool(workflow({ data: { rows: 3 } }), { inputSchema })] });
    const { report } = await runtime.send("go").finished;
    expect(engine.calls(runtime.sessionId)[0]?.rendered).toBe('{"rows":3}');
    expect(report.children).toMatchObject([
      { type: "tool", name: "ingest", output: { rows: 3 }, children: [{ type: "workflow", name: "ingest", steps: ["https://shop.example", false] }] },
    ]);
  });

  it("throws the error of an envelope on, as the cause, with its report kept", async () => {
    const cause = new WorkflowError("step 2 failed");
    const { data, error, report } = await asTool(workflow({ error: cause, data: "half" }), { inputSchema }).invoke({ url: "x" });
    expect(data).toBeUndefined();
    expect(error).toBeInstanceOf(ToolExecutionError);
    expect(error).toMatchObject({ code: "TOOL_EXEC_FAILED", toolName: "ingest", message: "step 2 failed" });
    expect(error?.cause).toBe(cause);
    expect(report.children).toMatchObject([{ type: "workflow" }]);
    const { runtime, seen } = await open(oneCall("ingest", { url: "x" }), { tools: [asTool(workflow({ error: cause }), { inputSchema })] }, ["agent.tool.failed"]);
    const turn = await runtime.send("go").finished;
    expect(seen).toMatchObject([{ error: { name: "ToolExecutionError", toolName: "ingest", tripIndex: 0 }, children: [{ type: "workflow" }] }]);
    expect((seen[0] as { error: Error }).error.cause).toBe(cause);
    expect(turn.report.children).toMatchObject([{ status: "failed", children: [{ type: "workflow" }] }]);
  });

  it.each<[string, unknown, unknown]>([
    ["an envelope of data alone", { data: 5 }, 5],
    ["an envelope with other fields beside its report", { data: 5, report: {}, usage: 1 }, 5],
    ["a result that only looks like one", { data: 5, total: 9 }, { data: 5, total: 9 }],
    ["a result that has a report of its own", { report: { sold: 3 }, pages: 2 }, { report: { sold: 3 }, pages: 2 }],
    ["an empty object", {}, {}],
    ["a list", [{ data: 1 }], [{ data: 1 }]],
  ])("knows %s", async (_name, result, data) => {
    expect((await asTool(() => result, { name: "t" }).invoke()).data).toEqual(data);
  });

  it("passes the abort on", async () => {
    const controller = new AbortController();
    const reasons: unknown[] = [];
    const made = asTool((_input: object, { signal }: { signal: AbortSignal }) => new Promise(() => signal.addEventListener("abort", () => reasons.push(signal.reason))), { name: "t" });
    const running = made.invoke({}, { signal: controller.signal });
    setTimeout(() => controller.abort("enough"), 20);
    expect((await running).error?.code).toBe("cancelled");
    expect(reasons).toEqual(["enough"]);
  });

  it("keeps a person's no a no", async () => {
    const declined = new PagehandError("declined", "not now");
    expect((await asTool(workflow({ error: declined })).invoke({ url: "x" })).error?.code).toBe("declined");
  });

  it("runs a tool by its own checks, once in the report", async () => {
    const inner = tool({ name: "inner", input: inputSchema, execute: ({ url }) => url });
    const made = asTool(inner as never, { name: "outer" });
    const { data, report } = await made.invoke({ url: "x" });
    expect(data).toBe("x");
    expect(report.children).toMatchObject([{ name: "inner" }]);
    expect(report.children).toHaveLength(1);
    expect((await made.invoke({ url: 1 })).error).toMatchObject({ name: "ToolExecutionError", cause: { code: "SCHEMA_VALIDATION_FAILED" } });
  });

  it("declares the schema beside one that carries none", async () => {
    const standard = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } } as never;
    const { runtime } = await open({}, { tools: [asTool(() => 1, { name: "t", inputSchema: standard, declaredSchema: inputSchema })] });
    expect(runtime.declarations()).toMatchObject([{ name: "t", input: inputSchema }]);
  });
});
