/** A runtime over AG-UI against the bundled engine's own endpoint, with both readings of what is disputed. */
import { describe, expect, it, onTestFinished } from "vitest";
import { type AgUiTransport, type CommonOptions, type Runtime, createRuntime, tool } from "pagehand";
import { type TestEngine, type TestEngineOptions, createTestEngine } from "pagehand/testing";
import { BRISK, gate, oneCall, open } from "./page.ts";

const read = tool({ name: "read", annotations: { readOnly: true }, execute: (input) => ({ read: input.n ?? 0 }) });

async function engineOf(options: TestEngineOptions): Promise<TestEngine> {
  const engine = await createTestEngine({ deltaIntervalMs: 1, ...options });
  onTestFinished(() => engine.close());
  return engine;
}

async function over(engine: TestEngine, options: Partial<CommonOptions & AgUiTransport> = {}): Promise<Runtime> {
  const runtime = await createRuntime({
    engine: `${engine.url}/api/channels/ag-ui/agents/shop/run`,
    token: () => engine.token(),
    fetch: engine.fetch,
    tools: [read],
    storage: "memory",
    ...options,
    transport: "ag-ui",
    tuning: { ...BRISK, stallTimeout: 150, ...options.tuning },
  });
  onTestFinished(() => runtime.close());
  return runtime;
}

const twoCalls: TestEngineOptions = {
  script: {
    replies: [{ say: "Let me look.", call: [{ name: "read", id: "c1", arguments: { n: 1 } }, { name: "read", id: "c2", arguments: { n: 2 } }] }],
    otherwise: { say: "Both." },
  },
};

describe.each<[string, Record<string, unknown>]>([
  ["as it is", {}],
  ["whose runs pass over answers", { agUiAnswers: "dropped" }],
  ["whose runs end at the first call of a reply", { agUiRunEnd: "early" }],
  ["whose runs do both", { agUiAnswers: "dropped", agUiRunEnd: "early" }],
])("the engine %s", (_name, switches) => {
  it("gets the answers of all calls of a reply, each once", async () => {
    const engine = await engineOf({ ...twoCalls, switches });
    const runtime = await over(engine);
    const result = await runtime.send("go").finished;
    expect(result).toMatchObject({ status: "completed", text: "Both." });
    expect(result.report.children.map((child) => child.type === "tool" && [child.callId, child.output])).toEqual([["c1", { read: 1 }], ["c2", { read: 2 }]]);
    const calls = engine.calls(runtime.sessionId);
    expect(calls.map((call) => call.rendered)).toEqual(['{"read":1}', '{"read":2}']);
    for (const call of calls) expect(call.settlements.filter((one) => one.accepted)).toHaveLength(1);
  });

  it("is told of an error in words, and of nothing that a person declined", async () => {
    const bad = tool({ name: "bad", execute: () => { throw new Error("the cart is gone"); } });
    const pay = tool({ name: "pay", approve: true, execute: () => "paid" });
    const engine = await engineOf({ switches, script: { replies: [{ call: [{ name: "bad", id: "c1" }, { name: "pay", id: "c2" }] }], otherwise: { say: "Sorry." } } });
    const runtime = await over(engine, { tools: [bad, pay], onApproval: () => ({ allow: false, reason: "too dear" }) });
    expect(await runtime.send("go").finished).toMatchObject({ status: "completed", text: "Sorry." });
    const [first, second] = engine.calls(runtime.sessionId);
    expect(first?.rendered).toContain("the cart is gone");
    expect(second?.rendered).toContain("too dear");
  });
});

it("a second message goes on with the same session", async () => {
  const engine = await engineOf({ script: { rules: [{ when: { user: "two" }, say: "second" }], otherwise: { say: "first" } } });
  const runtime = await over(engine);
  expect(await runtime.send("one").finished).toMatchObject({ text: "first" });
  expect(await runtime.send("two").finished).toMatchObject({ text: "second" });
  expect(engine.sessions()).toEqual([runtime.sessionId]);
  expect(engine.messages(runtime.sessionId).map((message) => (message as { role: string }).role)).toEqual(["user", "assistant", "user", "assistant"]);
});

it("two runtimes of one page speak two dialects to one engine, each with its own module", async () => {
  const { engine, runtime: native } = await open({ ...oneCall("read", { n: 7 }), agent: {} }, { tools: [read] });
  const agUi = await over(engine);
  const [one, other] = await Promise.all([native.send("go").finished, agUi.send("go").finished]);
  for (const result of [one, other]) expect(result).toMatchObject({ status: "completed", text: "Done." });
  for (const runtime of [native, agUi]) expect(engine.calls(runtime.sessionId).map((call) => call.rendered)).toEqual(['{"read":7}']);
  expect(native.sessionId).not.toBe(agUi.sessionId);
});

describe("a stream that breaks off", () => {
  it.each([1, 100, 300, 600, 1_000, 2_000])("after %i bytes is looked for, and no call runs or is answered twice", async (after) => {
    const engine = await engineOf(twoCalls);
    engine.fault({ kind: "cutStream", afterBytes: after });
    let runs = 0;
    const counted = tool({ name: "read", execute: () => ++runs });
    const runtime = await over(engine, { tools: [counted] });
    expect(await runtime.send("go").finished).toMatchObject({ status: "completed", text: "Both." });
    expect(runs).toBe(2);
    for (const call of engine.calls(runtime.sessionId)) expect(call.settlements.filter((one) => one.accepted)).toHaveLength(1);
  });
});

describe("a page that comes later", () => {
  it("goes on with the calls that an earlier one left open", async () => {
    const engine = await engineOf(oneCall("slow"));
    const session = `shared-${Math.random()}`;
    const started = gate();
    const first = await over(engine, { session, tools: [tool({ name: "slow", annotations: { readOnly: true }, execute: () => (started.open(), new Promise(() => undefined)) })] });
    first.send("go");
    await started.promise;
    await first.close();
    const later = await over(engine, { session, tools: [tool({ name: "slow", annotations: { readOnly: true }, execute: () => "later" })] });
    later.attach();
    await expect.poll(() => engine.calls(session)[0]?.rendered).toBe("later");
    await expect.poll(() => engine.messages(session).at(-1)).toMatchObject({ role: "assistant", content: "Done." });
  });
});

describe("an interrupt", () => {
  const asking: TestEngineOptions = {
    script: { replies: [{ say: "Shall I?", interrupt: { id: "confirm", reason: "approval", payload: { sum: 3 }, clientMayResume: true } }], otherwise: { say: "Done." } },
  };

  it("of the engine's is resumed", async () => {
    const engine = await engineOf(asking);
    const runtime = await over(engine);
    const turn = runtime.send("pay");
    await expect.poll(() => runtime.interrupts).toMatchObject([{ interruptId: "confirm" }]);
    expect(await runtime.resume("confirm", { agreed: true })).toEqual({});
    expect(await turn.finished).toMatchObject({ status: "completed" });
    const resumed = engine.log(runtime.sessionId).filter((event) => event.payload.type === "session.interrupt_resumed");
    expect(resumed).toMatchObject([{ payload: { interrupt_id: "confirm", payload: { agreed: true } } }]);
  });
});

it("a turn that is called off leaves the engine's stream, and the session goes on", async () => {
  const engine = await engineOf({ script: { rules: [{ when: { user: "slow" }, call: [{ name: "hang", id: "c1" }] }], otherwise: { say: "Here." } } });
  const started = gate();
  const hang = tool({ name: "hang", execute: () => (started.open(), new Promise(() => undefined)) });
  const runtime = await over(engine, { tools: [hang] });
  const turn = runtime.send("slow");
  await started.promise;
  turn.cancel("enough");
  expect(await turn.finished).toMatchObject({ status: "cancelled" });
  expect(await runtime.send("hello").finished).toMatchObject({ status: "completed", text: "Here." });
});
