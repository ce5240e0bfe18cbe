/**
 * The AG-UI transport's surface: which options go with it, its events, the agent's state, calling off.
 */
import { type AgUiContext, type AgUiMessage, type AgUiOptions, type RuntimeOptions, type TurnEvent, createRuntime, tool } from "pagehand";
import type { Equal, Expect } from "./equal.js";

const context = (): AgUiContext[] => [{ description: "the page", value: "cart" }];
const messages: AgUiMessage[] = [
  { id: "1", role: "user", content: "hello" },
  { id: "2", role: "assistant", toolCalls: [{ id: "c", type: "function", function: { name: "t", arguments: "{}" } }], extra: 1 },
  { id: "3", role: "tool", toolCallId: "c", content: "1" },
];

async function use() {
  const runtime = await createRuntime({
    transport: "ag-ui",
    engine: "https://e.example/agents/a/run",
    token: async ({ refresh }) => (refresh ? "fresh" : undefined),
    tools: [tool({ name: "t", execute: () => 1 })],
    agUi: { connect: false, context, forwardedProps: () => ({ a: 1 }), state: { a: 1 }, messages },
    tuning: { maxIdenticalRounds: 2, maxRounds: 10, runPatience: 1_000, stallTimeout: 1_000, connectPatience: 1_000 },
    artifactsSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
  });
  const turn = runtime.send("hello", { signal: AbortSignal.timeout(1_000), queue: false });
  turn.on("reasoning", ({ delta, messageId }) => delta + messageId);
  runtime.on("activity", ({ activityType, content }) => [activityType, content]);
  runtime.on("step", ({ name, status }) => {
    type _ = Expect<Equal<typeof status, "started" | "finished">>;
    return name;
  });
  for await (const event of turn) {
    if (event.type === "state" || event.type === "custom" || event.type === "raw") break;
  }
  const { artifacts } = await turn.finished;
  type _ = [
    Expect<Equal<typeof artifacts.n, number>>,
    Expect<Equal<typeof turn.reasoning, string>>,
    Expect<Equal<typeof turn.agentState, unknown>>,
    Expect<Equal<typeof runtime.agentState, unknown>>,
    Expect<Equal<Extract<TurnEvent, { type: "raw" }>["event"], unknown>>,
  ];
  turn.cancel();
  turn.cancel("because");
  runtime.setAgentState({ b: 2n });
  await runtime.resume("i", { ok: true });
  await runtime.resume("i", undefined, { cancelled: true });
}

// A page of its own choice.
const either = (over: boolean): RuntimeOptions => (over ? { engine: "https://e.example/run", transport: "ag-ui" } : { engine: "https://e.example", agent: "a" });
const wrapped = (options: RuntimeOptions) => createRuntime({ ...options, session: "new" });

// @ts-expect-error these options are of AG-UI alone
void createRuntime({ engine: "https://e.example", agent: "a", agUi: {} });
// @ts-expect-error the agent is missing
void createRuntime({ engine: "https://e.example", transport: "trigger" });
// @ts-expect-error no such option
const odd: AgUiOptions = { headers: {} };
// @ts-expect-error a context has a description
const bare: AgUiOptions = { context: [{ value: "x" }] };

export { bare, either, odd, use, wrapped };
