/**
 * What handlers get and callers hear, inferred from the schemas of real libraries; artifacts; runnables as tools.
 */
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { type AgentReport, type Tool, type ToolReport, asTool, createRuntime, tool } from "pagehand";
import type { Equal, Expect } from "./equal.js";

const byZod = tool({
  name: "zod",
  input: z.object({ query: z.string(), limit: z.number().default(10), size: z.string().transform((text) => text.length) }),
  action: ({ query, limit }) => `${query.trim()} ${limit.toFixed()}`,
  execute: (input) => {
    type _ = Expect<Equal<typeof input, { query: string; limit: number; size: number }>>;
    return input.size;
  },
});

const byValibot = tool({
  name: "valibot",
  input: v.object({ query: v.string(), limit: v.optional(v.number(), 10), note: v.optional(v.string()) }),
  inputSchema: { type: "object" },
  execute: (input) => {
    type _ = [Expect<Equal<typeof input.query, string>>, Expect<Equal<typeof input.limit, number>>, Expect<Equal<typeof input.note, string | undefined>>];
    return [input.query];
  },
});

const byArkType = tool({
  name: "arktype",
  input: type({ query: "string", "limit?": "number" }),
  execute: (input) => {
    type _ = [Expect<Equal<typeof input.query, string>>, Expect<Equal<typeof input.limit, number | undefined>>];
    // @ts-expect-error there is no such property
    input.other;
    return input.query;
  },
});

const byJsonSchema = tool({
  name: "json",
  input: { type: "object", properties: { kind: { enum: ["a", "b"] } }, required: ["kind"] },
  execute: ({ kind }) => {
    type _ = Expect<Equal<typeof kind, "a" | "b">>;
    return kind;
  },
});

// A list may mix them, and a runtime takes it.
const mixed: readonly Tool[] = [byZod, byValibot, byArkType, byJsonSchema];

async function results() {
  const zod = await byZod.invoke({});
  const valibot = await byValibot.invoke({});
  const ark = await byArkType.invoke({});
  type _ = [
    Expect<Equal<typeof zod.data, number | undefined>>,
    Expect<Equal<typeof valibot.data, string[] | undefined>>,
    Expect<Equal<typeof ark.data, string | undefined>>,
  ];
  // A Standard Schema checks a result and does not change it: what comes is what it takes.
  const checked = await tool({ name: "t", output: z.object({ n: z.string().transform(Number) }), execute: () => ({ n: "1" }) }).invoke();
  type _Checked = Expect<Equal<typeof checked.data, { n: string } | undefined>>;
}

// Artifacts.
tool({
  name: "t",
  artifactsSchema: z.object({ blocks: z.array(z.object({ id: z.string() })).optional() }),
  execute: (_input, ctx) => {
    type _ = Expect<Equal<typeof ctx.artifacts.blocks, { id: string }[] | undefined>>;
    ctx.artifacts.blocks ??= [];
    ctx.artifacts.blocks.push({ id: "1" });
    // @ts-expect-error a block has an id
    ctx.artifacts.blocks.push({});
  },
});
tool({
  name: "t",
  artifactsSchema: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
  execute: (_input, ctx) => {
    type _ = Expect<Equal<typeof ctx.artifacts, { count: number }>>;
    ctx.artifacts.count += 1;
  },
});
tool({
  name: "t",
  execute: (_input, ctx) => {
    type _ = Expect<Equal<typeof ctx.artifacts, Record<string, unknown>>>;
  },
});

async function turns() {
  const runtime = await createRuntime({
    engine: "https://engine.example.com",
    agent: "assistant",
    tools: mixed,
    transport: "native",
    artifactsSchema: v.object({ citations: v.array(v.string()) }),
    finalizeArtifacts: (bags, turn) => {
      type _ = [Expect<Equal<typeof bags, readonly Record<string, unknown>[]>>, Expect<Equal<typeof turn.id, string>>];
      return { citations: bags.flatMap((bag) => bag.citations as string[]) };
    },
  });
  const turn = runtime.send("go");
  const { artifacts, report } = await turn.finished;
  type _ = [
    Expect<Equal<typeof turn.artifacts, { citations: string[] }>>,
    Expect<Equal<typeof artifacts, { citations: string[] }>>,
    Expect<Equal<typeof report.artifacts, { citations: string[] }>>,
    Expect<Equal<typeof report.children, (ToolReport | AgentReport)[]>>,
  ];
  const tools = report.children.filter((child) => child.type === "tool");
  type _Tools = Expect<Equal<typeof tools, ToolReport[]>>;
  runtime.on("interrupt", ({ interruptId, turnId, payload }) => {
    type _ = [Expect<Equal<typeof interruptId, string>>, Expect<Equal<typeof turnId, string | null>>, Expect<Equal<typeof payload, unknown>>];
  });
  turn.on("interrupt.refused", ({ error }) => error.code);
  const { error } = await runtime.resume(runtime.interrupts[0]?.interruptId ?? "", { ok: true });
  return error?.message;
}
void createRuntime({
  engine: "https://engine.example.com",
  agent: "assistant",
  artifactsSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  // @ts-expect-error it must give what the schema says
  finalizeArtifacts: () => ({ n: "one" }),
});
// @ts-expect-error no such transport
void createRuntime({ engine: "https://engine.example.com", agent: "assistant", transport: "websocket" });

// Runnables.
const measured = asTool(
  ({ url }, { signal, artifacts }) => {
    type _ = [Expect<Equal<typeof url, string>>, Expect<Equal<typeof signal, AbortSignal>>, Expect<Equal<typeof artifacts, Record<string, unknown>>>];
    return url.length;
  },
  { name: "measure", inputSchema: { type: "object", properties: { url: { type: "string" } }, required: ["url"] } },
);
const workflow = {
  name: "ingest",
  execute: async (input: { url: string }, options: { signal: AbortSignal }) => ({ data: { rows: input.url.length }, report: { aborted: options.signal.aborted } }),
};
const ingest = asTool(workflow, { inputSchema: z.object({ url: z.string() }) });
async function ran() {
  const length = await measured.invoke({ url: "x" });
  const rows = await ingest.invoke({ url: "x" });
  type _ = [Expect<Equal<typeof length.data, number | undefined>>, Expect<Equal<typeof rows.data, { rows: number } | undefined>>];
}
// @ts-expect-error its input is another
asTool(workflow, { inputSchema: z.object({ path: z.string() }) });
// @ts-expect-error the model always gets the result
asTool(workflow, { mode: "silent" });

export { ingest, mixed, ran, results, turns };
