/** Tools whose schemas are of real libraries, alone and through a whole call. */
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { type AnySchema, SchemaValidationError, type StandardSchema, tool } from "pagehand";
import { oneCall, open } from "./page.ts";

const declared = [{ name: "t", handler: "client" as const }];
const inputSchema = { type: "object", properties: { query: { type: "string" } }, required: ["query"] } as const;

interface Library {
  name: string;
  /** `{ query: string, at least two letters; limit: number, 10 by default }` */
  search: AnySchema;
  /** `{ query }` whose text becomes its length. */
  measured: AnySchema;
  /** `{ query }` that a promise refuses. */
  slow: AnySchema;
  /** `{ query }` whose check throws. */
  throws: (cause: unknown) => AnySchema;
  /** Whether a schema brings its JSON Schema along. */
  carries: boolean;
}

const fail = (cause: unknown) => {
  throw cause;
};

const libraries: Library[] = [
  {
    name: "Zod",
    search: z.object({ query: z.string().min(2), limit: z.number().default(10) }),
    measured: z.object({ query: z.string().transform((text) => text.length) }),
    slow: z.object({ query: z.string().refine(async () => false, "nothing of that name") }),
    throws: (cause) => z.object({ query: z.string().refine(() => fail(cause)) }),
    carries: true,
  },
  {
    name: "Valibot",
    search: v.object({ query: v.pipe(v.string(), v.minLength(2)), limit: v.optional(v.number(), 10) }),
    measured: v.object({ query: v.pipe(v.string(), v.transform((text) => text.length)) }),
    slow: v.objectAsync({ query: v.pipeAsync(v.string(), v.checkAsync(async () => false, "nothing of that name")) }),
    throws: (cause) => v.object({ query: v.pipe(v.string(), v.check(() => fail(cause))) }),
    carries: false,
  },
  {
    name: "ArkType",
    search: type({ query: "string >= 2", limit: "number = 10" }),
    measured: type({ query: type("string").pipe((text) => text.length) }),
    // ArkType checks at once; a promise comes from whoever wraps it.
    slow: {
      "~standard": { version: 1, vendor: "arktype", validate: async () => type({ query: "number" })["~standard"].validate({ query: "x" }) },
    } as AnySchema,
    throws: (cause) => type({ query: type("string").narrow(() => fail(cause)) }),
    carries: true,
  },
];

describe.each(libraries)("$name", ({ search, measured, slow, throws, carries }) => {
  it("lets pass what fits, with the defaults it adds", async () => {
    const execute = vi.fn((input: unknown) => input);
    const made = tool({ name: "t", input: search, inputSchema, execute });
    expect((await made.invoke({ query: "tea" })).data).toEqual({ query: "tea", limit: 10 });
    const { engine, runtime } = await open({ ...oneCall("t", { query: "tea" }), agent: { tools: declared } }, { tools: [made] });
    const { report } = await runtime.send("go").finished;
    expect(execute).toHaveBeenLastCalledWith({ query: "tea", limit: 10 }, expect.anything());
    expect(JSON.parse(engine.calls(runtime.sessionId)[0]?.rendered ?? "")).toEqual({ query: "tea", limit: 10 });
    // The report says what the model asked for.
    expect(report.children).toMatchObject([{ type: "tool", input: { query: "tea" }, checks: { input: "valid" } }]);
  });

  it("refuses what does not fit, and names the place", async () => {
    const execute = vi.fn();
    const made = tool({ name: "t", input: search, inputSchema, execute });
    const { error, report } = await made.invoke({ query: "t", limit: 3 });
    expect(error).toBeInstanceOf(SchemaValidationError);
    expect(error).toMatchObject({ code: "SCHEMA_VALIDATION_FAILED", category: "schema", issues: [{ path: "/query", keyword: "schema" }] });
    expect(error?.cause).toBeUndefined();
    expect(report.checks.input).toBe("invalid");
    const { engine, runtime, seen } = await open({ ...oneCall("t", { query: "t" }), agent: { tools: declared } }, { tools: [made] }, ["agent.tool.failed"]);
    await runtime.send("go").finished;
    expect(execute).not.toHaveBeenCalled();
    expect(engine.calls(runtime.sessionId)[0]).toMatchObject({ status: "errored", rendered: expect.stringMatching(/^invalid tool arguments: \/query: /) });
    expect(seen).toMatchObject([{ error: { name: "SchemaValidationError", issues: [{ path: "/query" }] } }]);
  });

  it("gives the handler and the label what it makes of the value, which it makes once", async () => {
    const action = vi.fn((input: unknown) => JSON.stringify(input));
    const made = tool({ name: "t", input: measured, inputSchema, action: action as never, execute: (input: unknown) => input });
    const { engine, runtime, seen } = await open({ ...oneCall("t", { query: "tea" }), agent: { tools: declared } }, { tools: [made] }, ["agent.tool.calling"]);
    await runtime.send("go").finished;
    expect(engine.calls(runtime.sessionId)[0]?.rendered).toBe('{"query":3}');
    expect(seen).toMatchObject([{ tool: { action: '{"query":3}' }, input: { query: "tea" } }]);
    expect((await made.invoke({ query: "four" })).data).toEqual({ query: 4 });
  });

  it("may take its time", async () => {
    const { error } = await tool({ name: "t", input: slow, inputSchema, execute: () => 1 }).invoke({ query: "tea" });
    expect(error).toMatchObject({ code: "SCHEMA_VALIDATION_FAILED", issues: [{ path: "/query" }] });
  });

  it("that throws is a schema error with what it threw, inside a runtime too", async () => {
    const cause = new Error("validator bug");
    const made = tool({ name: "t", input: throws(cause), inputSchema, execute: () => 1 });
    expect((await made.invoke({ query: "tea" })).error).toMatchObject({ name: "SchemaValidationError", cause });
    const { runtime, seen } = await open({ ...oneCall("t", { query: "tea" }), agent: { tools: declared } }, { tools: [made] }, ["agent.tool.failed", "warning"]);
    await runtime.send("go").finished;
    const failed = seen.find((event) => event.type === "agent.tool.failed");
    expect(failed).toMatchObject({ error: { name: "SchemaValidationError", code: "SCHEMA_VALIDATION_FAILED" } });
    expect(failed?.error.cause).toBe(cause);
    const alone = await runtime.invoke("t", { query: "tea" });
    expect(alone.error?.cause).toBe(cause);
  });

  it(`is declared by ${carries ? "the JSON Schema it carries" : "the one beside it"}`, async () => {
    const own = tool({ name: "own", input: search, execute: () => 1 });
    const beside = tool({ name: "beside", input: search, inputSchema, execute: () => 1 });
    const { runtime } = await open({}, { tools: [own, beside] });
    const told = Object.fromEntries(runtime.declarations().map((one) => [one.name, one.input]));
    if (carries) expect(told.own).toMatchObject({ type: "object", properties: { query: { type: "string", minLength: 2 } }, required: ["query"] });
    else expect(told.own).toBeUndefined();
    expect(told.beside).toEqual(inputSchema);
  });

  it("may check results, and does not change them", async () => {
    const good = tool({ name: "t", output: search, execute: () => ({ query: "tea" }) as never });
    expect(await good.invoke()).toMatchObject({ data: { query: "tea" } });
    expect((await good.invoke()).data).not.toHaveProperty("limit");
    const bad = tool({ name: "t", output: search, execute: () => ({ query: "t" }) as never });
    expect((await bad.invoke()).error).toMatchObject({ code: "invalid-result", message: expect.stringContaining("/query") });
  });
});

it.each<[string, unknown, RegExp]>([
  ["nothing", undefined, /the validator itself failed/],
  ["a text", "ok", /the validator itself failed/],
  ["a result of another library", { success: false, error: "too short" }, /neither a value nor issues/],
  ["issues that are no list", { issues: true }, /the value does not fit/],
  ["an issue without words", { issues: [{}] }, /invalid tool arguments/],
  ["an issue whose words are no text", { issues: [{ message: { text: "x" } }] }, /invalid tool arguments/],
])("takes no validator that gives %s for one that agrees", async (_name, result, words) => {
  const execute = vi.fn(() => 1);
  const input = { "~standard": { version: 1, vendor: "test", validate: () => result } } as unknown as StandardSchema;
  const made = tool({ name: "t", input, inputSchema: {}, execute });
  expect((await made.invoke({ query: "tea" })).error).toMatchObject({ code: "SCHEMA_VALIDATION_FAILED", message: expect.stringMatching(words) });
  const { engine, runtime } = await open(oneCall("t", { query: "tea" }), { tools: [made] });
  await runtime.send("go").finished;
  expect(engine.calls(runtime.sessionId)[0]?.rendered).toMatch(words);
  expect(execute).not.toHaveBeenCalled();
});

it("asks a schema once for each call, and keeps parallel calls of the same arguments apart", async () => {
  const validate = vi.fn(async (value: unknown) => ({ value: { ...(value as object), mark: {} as unknown } }));
  const input = { "~standard": { version: 1, vendor: "test", validate } } as StandardSchema<unknown, { mark: unknown }>;
  const marks: unknown[] = [];
  const made = tool({ name: "t", input, inputSchema: {}, execute: (given) => void marks.push(given.mark) });
  const { runtime } = await open(
    { script: { replies: [{ call: [{ name: "t", arguments: { a: 1 } }, { name: "t", arguments: { a: 1 } }] }], otherwise: { say: "ok" } } },
    { tools: [made] },
  );
  await runtime.send("go").finished;
  expect(validate).toHaveBeenCalledTimes(2);
  expect(marks).toHaveLength(2);
  expect(marks[0]).not.toBe(marks[1]);
});

it("a person who is asked sees the arguments as the model wrote them; the tool's own functions get what runs", async () => {
  const approve = vi.fn(({ q }: { q: number }) => q > 1);
  const onApproval = vi.fn(() => true);
  const input = z.object({ q: z.string().transform((text) => text.length) });
  const made = tool({ name: "t", input, action: ({ q }) => `${q} letters`, approve, execute: ({ q }) => q });
  const { engine, runtime } = await open(oneCall("t", { q: "abc" }), { tools: [made], onApproval });
  await runtime.send("go").finished;
  expect(approve.mock.calls).toEqual([[{ q: 3 }]]);
  expect(onApproval).toHaveBeenCalledWith(expect.objectContaining({ input: { q: "abc" }, action: "3 letters" }));
  expect(engine.calls(runtime.sessionId)[0]?.rendered).toBe("3");
});
