/** Declarations, and tools run by themselves. */
import { describe, expect, it, vi } from "vitest";
import { SchemaValidationError, ToolExecutionError, type StandardSchema, tool } from "pagehand";
import { oneCall, open } from "./page.ts";

const execute = () => "ok";

describe("a declaration", () => {
  it.each<[string, Record<string, unknown>]>([
    ["name", { name: "" }],
    ["name", { name: "has space" }],
    ["name", { name: 7 }],
    ["execute", { execute: undefined }],
    ["description", { description: 1 }],
    ["input", { input: "object" }],
    ["output", { output: [] }],
    ["mode", { mode: "quiet" }],
    ["encoding", { encoding: "xml" }],
    ["action", { action: 1 }],
    ["approve", { approve: "yes" }],
    ["onInvalid", { onInvalid: "fix" }],
    ["timeout", { timeout: 0 }],
    ["timeout", { timeout: Number.NaN }],
    ["annotations", { annotations: true }],
    ["annotations.readOnly", { annotations: { readOnly: "yes" } }],
    ["version", { version: 2 }],
    ["inputSchema", { inputSchema: "object" }],
    ["artifactsSchema", { artifactsSchema: [] }],
  ])("with a wrong %s is refused by name", (field, wrong) => {
    expect(() => tool({ name: "t", execute, ...wrong } as never)).toThrow(
      expect.objectContaining({ code: "invalid-tool", message: expect.stringMatching(new RegExp(`^${field} `)) }),
    );
  });

  it.each<[string, string, Record<string, unknown>]>([
    ["exceute", "execute", { exceute: execute }],
    ["desc", "description", { desc: "does it" }],
    ["inputschema", "inputSchema", { inputschema: {} }],
    ["parameters", "artifactsSchema", { parameters: {} }],
    ["annotations.readonly", "readOnly", { annotations: { readonly: true } }],
    ["annotations.destroys", "destructive", { annotations: { destroys: true } }],
  ])("with a key %s that is not known is refused, and %s is offered", (key, near, wrong) => {
    const refused = expect.objectContaining({ code: "invalid-tool", message: expect.stringContaining(`${key} of tool "t" is not known`) });
    expect(() => tool({ name: "t", execute, ...wrong } as never)).toThrow(refused);
    expect(() => tool({ name: "t", execute, ...wrong } as never)).toThrow(near === "artifactsSchema" ? /did you mean "\w+"/ : new RegExp(`did you mean "${near}"`));
  });

  it.each([undefined, null, 7, "tool"])("that is %j is refused", (config) => {
    expect(() => tool(config as never)).toThrow(expect.objectContaining({ code: "invalid-tool", message: expect.stringMatching(/^the declaration must be an object/) }));
  });

  it("is taken as it is when it is made: what an object inherits is no part of it", () => {
    const inherits = Object.create({ execute }) as object;
    expect(() => tool(Object.assign(inherits, { name: "t" }) as never)).toThrow(/^execute of tool "t" must be a function/);
  });

  it("is frozen and keeps what it was given", () => {
    const made = tool({ name: "t", version: "2", execute });
    expect(Object.isFrozen(made)).toBe(true);
    expect(made).toMatchObject({ name: "t", version: "2" });
  });
});

describe("tool.invoke", () => {
  const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;

  it("gives data and a report", async () => {
    const double = tool({ name: "double", version: "1.0", input: schema, output: { type: "integer" }, execute: ({ n }) => n * 2 });
    const { data, error, report } = await double.invoke({ n: 4 });
    expect(error).toBeUndefined();
    expect(data).toBe(8);
    expect(report).toMatchObject({ type: "tool", name: "double", version: "1.0", status: "completed", input: { n: 4 }, output: 8, checks: { input: "valid", issues: [] } });
    expect(report.endedAt).toBeGreaterThanOrEqual(report.startedAt);
  });

  it("never throws and tells apart what went wrong", async () => {
    const cause = new Error("inner");
    const cases: [unknown, ReturnType<typeof tool>, object][] = [
      [{ n: "4" }, tool({ name: "t", input: schema, execute }), { name: "SchemaValidationError", category: "schema", code: "SCHEMA_VALIDATION_FAILED", issues: [{ path: "/n", keyword: "type" }] }],
      [{}, tool({ name: "t", execute: () => { throw cause; } }), { name: "ToolExecutionError", category: "tool", code: "TOOL_EXEC_FAILED", toolName: "t", message: "inner", cause }],
      [{}, tool({ name: "t", execute: () => Promise.reject(undefined) }), { code: "TOOL_EXEC_FAILED", cause: undefined }],
      [[1], tool({ name: "t", execute }), { code: "malformed-arguments" }],
      [{ f() {} }, tool({ name: "t", execute }), { code: "malformed-arguments" }],
      [{}, tool({ name: "t", output: { type: "number" }, execute }), { code: "invalid-result" }],
      [{}, tool({ name: "t", execute: () => () => 1 }), { code: "unserialisable-result" }],
    ];
    for (const [input, made, expected] of cases) {
      const { data, error, report } = await made.invoke(input);
      expect(data).toBeUndefined();
      expect(error).toMatchObject(expected);
      expect(report).toMatchObject({ status: "failed", error: { code: error?.code } });
    }
  });

  it("passes context in, and stops where the signal has aborted", async () => {
    const seen = vi.fn<(signal: AbortSignal) => void>();
    const made = tool({ name: "t", execute: (_input, ctx) => { seen(ctx.signal); ctx.artifacts.a = 1; } });
    const artifacts = {};
    const controller = new AbortController();
    await made.invoke({}, { artifacts, signal: controller.signal });
    expect(artifacts).toEqual({ a: 1 });
    expect(seen.mock.calls[0]?.[0].aborted).toBe(false);
    controller.abort();
    expect(await made.invoke({}, { signal: controller.signal })).toMatchObject({ error: { code: "cancelled" }, report: { status: "cancelled" } });
    expect(seen).toHaveBeenCalledOnce();
  });

  it("repairs once, and checks the repair", async () => {
    const good = tool({ name: "t", input: schema, onInvalid: () => ({ n: 1 }), execute: ({ n }) => n });
    expect((await good.invoke({ n: "x" })).data).toBe(1);
    const bad = tool({ name: "t", input: schema, onInvalid: () => ({ n: "y" }), execute: ({ n }) => n });
    expect((await bad.invoke({ n: "x" })).error).toBeInstanceOf(SchemaValidationError);
    const thrown = tool({ name: "t", input: schema, onInvalid: () => { throw new Error("cannot"); }, execute });
    expect((await thrown.invoke({ n: "x" })).error).toBeInstanceOf(ToolExecutionError);
  });
});

describe("a Standard Schema", () => {
  const standard = (validate: (value: unknown) => unknown): StandardSchema<unknown, { n: number }> => ({
    "~standard": { version: 1, vendor: "test", validate: validate as never },
  });

  it("gives the handler what it makes of the value", async () => {
    const made = tool({ name: "t", input: standard((value) => ({ value: { n: Number((value as { n: string }).n) } })), execute: ({ n }) => n + 1 });
    expect((await made.invoke({ n: "41" })).data).toBe(42);
    const { engine, runtime } = await open({ ...oneCall("t", { n: "41" }), agent: { tools: [{ name: "t", handler: "client" }] } }, { tools: [made] });
    await runtime.send("go").finished;
    expect(engine.calls(runtime.sessionId)[0]?.rendered).toBe("42");
  });

  it("may be async, and its findings have paths", async () => {
    const made = tool({ name: "t", input: standard(async () => ({ issues: [{ message: "too small", path: ["items", { key: 0 }, "a/b"] }] })), execute });
    const { error } = await made.invoke({});
    expect(error).toMatchObject({ issues: [{ path: "/items/0/a~1b", message: "/items/0/a~1b: too small" }] });
  });

  it("that throws is a schema error with the cause kept apart", async () => {
    const cause = new Error("validator bug");
    const made = tool({ name: "t", input: standard(() => { throw cause; }), execute });
    expect((await made.invoke({})).error).toMatchObject({ code: "SCHEMA_VALIDATION_FAILED", cause });
    const { engine, runtime, seen } = await open({ ...oneCall("t"), agent: { tools: [{ name: "t", handler: "client" }] } }, { tools: [made] });
    await runtime.send("go").finished;
    expect(engine.calls(runtime.sessionId)[0]?.status).toBe("errored");
    expect(seen.filter((event) => event.type === "warning")).toMatchObject([{ message: expect.stringContaining("validator bug") }]);
  });

  it("is declared by the JSON Schema it carries, or the one beside it", async () => {
    const carries = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }), jsonSchema: { input: () => ({ type: "object", title: "carried" }) } } } as unknown as StandardSchema;
    const { runtime } = await open({}, {
      tools: [
        tool({ name: "a", input: carries, execute }),
        tool({ name: "b", input: standard((value) => ({ value })), inputSchema: { title: "beside" }, execute }),
        tool({ name: "c", input: standard((value) => ({ value })), execute }),
      ],
    });
    expect(runtime.declarations().map((one) => one.input)).toEqual([{ type: "object", title: "carried" }, { title: "beside" }, undefined]);
  });
});

describe("labels", () => {
  it("are made once for a call, from what the handler gets, after the arguments were checked", async () => {
    const action = vi.fn(({ n }: { n: number }) => `Counting to ${n}`);
    const input = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => {
      const { n } = value as { n: unknown };
      return typeof n === "string" ? { value: { n: Number(n) } } : { issues: [{ message: "n must be a string" }] };
    } } } as StandardSchema<{ n: string }, { n: number }>;
    const { runtime, seen } = await open(
      { script: { replies: [{ call: [{ name: "count", arguments: { n: "3" } }, { name: "count", arguments: { n: 4 } }] }], otherwise: { say: "ok" } }, agent: { tools: [{ name: "count", handler: "client" }] } },
      { tools: [tool({ name: "count", input, action, execute: ({ n }) => n })] },
      ["agent.tool.calling", "agent.tool.called", "agent.tool.failed"],
    );
    await runtime.send("go").finished;
    const told = Object.fromEntries(seen.map((event) => [event.type, "tool" in event ? event.tool.action : undefined]));
    expect(told).toEqual({ "agent.tool.calling": "Counting to 3", "agent.tool.called": "Counting to 3", "agent.tool.failed": undefined });
    expect(action.mock.calls).toEqual([[{ n: 3 }]]);
  });

  it("come with the event, and a throw loses only the label", async () => {
    const { engine, runtime } = await open(
      { script: { replies: [{ call: [{ name: "a", arguments: { q: "tea" } }, { name: "b" }, { name: "c" }] }], otherwise: { say: "ok" } } },
      {
        tools: [
          tool({ name: "a", action: ({ q }) => `Searching for ${String(q)}`, execute }),
          tool({ name: "b", action: () => { throw new Error("no label"); }, execute }),
          tool({ name: "c", action: "Working", execute }),
        ],
      },
    );
    const labels: Record<string, unknown> = {};
    runtime.on("agent.tool.calling", (event) => (labels[event.tool.name] = event.tool.action));
    await runtime.send("go").finished;
    expect(labels).toEqual({ a: "Searching for tea", b: undefined, c: "Working" });
    expect(engine.calls(runtime.sessionId).map((call) => call.status)).toEqual(["completed", "completed", "completed"]);
  });
});
