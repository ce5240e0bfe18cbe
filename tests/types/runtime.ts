/**
 * The runtime's surface: options, events, turns, disposal.
 */
import {
  type ErrorCode,
  type Issue,
  PagehandError,
  type Runtime,
  type RuntimeEvent,
  SchemaValidationError,
  ToolExecutionError,
  createRuntime,
  init,
  tool,
} from "pagehand";
import { compile } from "pagehand/schema";
import { createTestEngine, parseEventStream } from "pagehand/testing";
import type { Equal, Expect } from "./equal.js";

async function use() {
  await init(fetch("/runtime.wasm"));
  await using runtime = await createRuntime({
    engine: new URL("https://engine.example.com"),
    agent: "assistant",
    token: async ({ refresh }) => (refresh ? "fresh" : undefined),
    tools: [tool({ name: "t", execute: () => 1 })],
    onApproval: ({ tool: asked, input, signal }) => asked.name === "t" && input !== undefined && !signal.aborted,
    numbers: "exact",
    session: undefined,
    tuning: { idleTimeout: 10_000 },
  });
  const off = runtime.on("agent.tool.called", (event) => {
    type _ = [Expect<Equal<typeof event.type, "agent.tool.called">>, Expect<Equal<typeof event.output, unknown>>];
    return event.tool.action;
  }, { signal: new AbortController().signal });
  off();
  runtime.on("connection", ({ state, code }) => {
    type _ = Expect<Equal<typeof code, ErrorCode | undefined>>;
    // @ts-expect-error no such state
    return state === "gone";
  });
  // @ts-expect-error no such event
  runtime.on("nothing", () => undefined);

  const turn = runtime.send("hello", { queue: true });
  for await (const event of turn) {
    if (event.type === "text") event.delta.trim();
    // @ts-expect-error the stream's state is no event of a turn
    if (event.type === "connection") break;
  }
  const { text, status, error, report } = await turn.finished;
  type _Turn = [
    Expect<Equal<typeof text, string>>,
    Expect<Equal<typeof status, "completed" | "failed" | "cancelled">>,
    Expect<Equal<(typeof report.children)[number]["type"], "tool" | "agent">>,
  ];
  const release = runtime.register(tool({ name: "u", execute: () => 1 }), { signal: AbortSignal.timeout(1) });
  release();
  const { data } = await runtime.invoke("u", {});
  type _Data = Expect<Equal<typeof data, unknown>>;
  runtime.pending.map((call) => call.callId);
  return error?.code;
}

// @ts-expect-error the agent is missing
void createRuntime({ engine: "https://engine.example.com" });
// @ts-expect-error no such option
void createRuntime({ engine: "https://engine.example.com", agent: "a", colour: "red" });

// The kinds are one discriminated union.
function told(event: RuntimeEvent): string {
  switch (event.type) {
    case "warning":
    case "fatal":
      return event.message;
    case "turn.finished":
      return event.text;
    default:
      return event.type;
  }
}

function failures(error: unknown): readonly Issue[] {
  if (error instanceof SchemaValidationError) return error.issues;
  if (error instanceof ToolExecutionError) return [{ path: "", keyword: error.toolName, message: error.message }];
  if (error instanceof PagehandError && error.code === "wasm-blocked") return [];
  return [];
}

async function others() {
  const schema = await compile({ type: "object" }, { draft: "7" });
  const issues: Issue[] = schema.check("{}");
  const engine = await createTestEngine({ script: { rules: [{ when: { user: "*" }, say: "hi", call: [{ name: "t" }] }] } });
  const runtime: Runtime = await createRuntime({ engine: engine.url, fetch: engine.fetch, agent: "a" });
  const { events, retry } = await parseEventStream([new Uint8Array()]);
  type _ = [Expect<Equal<typeof retry, number | null>>, Expect<Equal<(typeof events)[number]["data"], string>>];
  // @ts-expect-error no such draft
  await compile(true, { draft: "draft7" });
  return [issues, runtime];
}

export { failures, others, told, use };
