/** The bundled engine as a peer of the published AG-UI client: what it sends is what the protocol's schemas allow. */
import { HttpAgent, type RunAgentParameters } from "@ag-ui/client";
import { EventSchemas, RunAgentInputSchema } from "@ag-ui/core/schemas";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Script, type TestEngine, type TestEngineOptions, createTestEngine, parseEventStream } from "pagehand/testing";

const PARAMETERS = { type: "object", properties: {} };
const TOOLS = ["read_cart", "read_prices"].map((name) => ({ name, description: `Does ${name}.`, parameters: PARAMETERS }));

const TWO_CALLS: Script = {
  rules: [
    {
      when: { user: "cart" },
      say: "Let me look.",
      call: [{ name: "read_cart", id: "call-cart", arguments: { currency: "EUR" } }, { name: "read_prices", id: "call-prices" }],
    },
    { when: { after: "*" }, say: "Cart {{result:read_cart}}, prices {{result:read_prices}}." },
    { when: { user: "*" }, say: "Hello." },
  ],
};

async function engineWith(options: TestEngineOptions): Promise<TestEngine> {
  const engine = await createTestEngine({ deltaIntervalMs: 1, ...options });
  onTestFinished(() => engine.close());
  return engine;
}

/** The published client on thread `s1`; every event the engine sends is checked on its way to it. */
async function clientOf(engine: TestEngine, url = engine.url, send: typeof fetch = engine.fetch) {
  const events: { type: string; [field: string]: unknown }[] = [];
  const agent = new HttpAgent({
    url: `${url}/api/channels/ag-ui/agents/shop/run`,
    threadId: "s1",
    headers: { authorization: `Bearer ${await engine.token()}` },
    fetch: async (address, init) => {
      RunAgentInputSchema.parse(JSON.parse(String(init.body)));
      const response = await send(address, init);
      const bytes = new Uint8Array(await response.clone().arrayBuffer());
      events.push(...(await eventsIn(bytes)));
      return response;
    },
  });
  return { agent, events, run: (more: Partial<RunAgentParameters> = {}) => agent.runAgent({ tools: TOOLS, ...more }) };
}

/** The events of a stream's bytes; one that no schema takes fails the test with its text. */
async function eventsIn(bytes: Uint8Array) {
  const { events } = await parseEventStream([bytes]);
  return events.map(({ event, data }) => {
    const parsed = JSON.parse(data) as { type: string; [field: string]: unknown };
    const checked = EventSchemas.safeParse(parsed);
    expect(checked.success, `${data}\n${checked.error}`).toBe(true);
    expect(event).toBe(parsed.type);
    return parsed;
  });
}

/** What a plain request to the channel answers with. */
async function post(engine: TestEngine, path: "run" | "connect", body: object) {
  const response = await engine.fetch(`${engine.url}/api/channels/ag-ui/agents/shop/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${await engine.token()}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return eventsIn(new Uint8Array(await response.arrayBuffer()));
}

const answer = (toolCallId: string, content: string) => ({ id: `tool-${toolCallId}`, role: "tool" as const, toolCallId, content });
const user = (id: string, content: string) => ({ id, role: "user" as const, content });

/** Sends the message, answers both calls in one run, and gives what the client has then. */
async function roundTrip(engine: TestEngine, url?: string, send?: typeof fetch) {
  const { agent, run, events } = await clientOf(engine, url, send);
  agent.addMessage(user("m-1", "my cart, please"));
  await run();
  const asked = agent.messages.at(-1);
  expect(asked).toMatchObject({ role: "assistant", content: "Let me look." });
  expect((asked as { toolCalls: unknown[] }).toolCalls).toMatchObject([
    { id: "call-cart", function: { name: "read_cart", arguments: '{"currency":"EUR"}' } },
    { id: "call-prices", function: { name: "read_prices", arguments: "{}" } },
  ]);
  agent.addMessages([answer("call-cart", '{"items":3}'), answer("call-prices", "[1,2]")]);
  await run();
  return { agent, run, events };
}

describe("the published AG-UI client", () => {
  it("completes a round trip with two parallel calls, both answered in one run", async () => {
    const engine = await engineWith({ script: TWO_CALLS });
    const { agent, run } = await roundTrip(engine);
    expect(agent.messages.at(-1)).toMatchObject({ role: "assistant", content: 'Cart {"items":3}, prices [1,2].' });
    for (const call of engine.calls("s1")) {
      expect(call.settlements).toMatchObject([{ by: "view", accepted: true }]);
      expect(call.status).toBe("completed");
    }
    // Its conversation and the engine's are still one: nothing forks.
    agent.addMessage(user("m-2", "thanks"));
    await run();
    expect(agent.messages.at(-1)).toMatchObject({ content: "Hello." });
    expect(engine.log("s1").some((event) => event.payload.type === "head.moved")).toBe(false);
    expect(engine.messages("s1")).toHaveLength(7);
  });

  it("does so over HTTP too", async () => {
    const engine = await engineWith({ script: TWO_CALLS });
    const server = await engine.listen();
    const { agent } = await roundTrip(engine, server.url, fetch);
    expect(agent.messages.at(-1)).toMatchObject({ content: 'Cart {"items":3}, prices [1,2].' });
  });

  it("resumes an interrupt it was told of", async () => {
    const engine = await engineWith({
      script: { rules: [{ when: { user: "*" }, say: "May I?", interrupt: { id: "int-1", reason: "confirm", payload: { message: "Buy it?" } } }] },
    });
    const { agent, run, events } = await clientOf(engine);
    agent.addMessage(user("m-1", "buy"));
    await run();
    const interrupt = { id: "int-1", reason: "confirm", message: "Buy it?" };
    expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "interrupt", interrupts: [interrupt] } });
    await run({ resume: [{ interruptId: "int-1", status: "resolved", payload: { ok: true } }] });
    expect(events.at(-1)).toEqual({ type: "RUN_FINISHED", threadId: "s1", runId: expect.any(String) });
    const resumed = engine.log("s1").find((event) => event.payload.type === "session.interrupt_resumed");
    expect(resumed?.payload["payload"]).toEqual({ ok: true });
  });

  it("hears of a failed turn as a failed run", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const engine = await engineWith({ script: { rules: [{ error: { message: "the provider is down" } }] } });
    const { agent, run, events } = await clientOf(engine);
    agent.addMessage(user("m-1", "hi"));
    await run().catch(() => undefined);
    expect(events.at(-1)).toEqual({ type: "RUN_ERROR", message: "the provider is down" });
  });

  it("is told the calls of the worker and of sub-agents with their results", async () => {
    const engine = await engineWith({
      agent: { tools: [{ name: "stock" }], worker: { answers: { stock: { result: { left: 2 } } } }, subagents: [{ id: "helper" }] },
      agents: { helper: { script: { otherwise: { say: "Helped." } } } },
      script: {
        rules: [
          { when: { user: "*" }, call: [{ name: "stock", id: "call-stock" }, { name: "helper", id: "call-helper", arguments: { message: "help" } }] },
          { when: { after: "*" }, say: "All done." },
        ],
      },
    });
    const { agent, run } = await clientOf(engine);
    agent.addMessage(user("m-1", "go"));
    await run();
    const results = agent.messages.filter((message) => message.role === "tool");
    expect(results.map((message) => message.toolCallId).sort()).toEqual(["call-helper", "call-stock"]);
    expect(agent.messages.at(-1)).toMatchObject({ content: "All done." });
  });
});

describe("the AG-UI channel", () => {
  it("connects with the conversation, also where there is none", async () => {
    const engine = await engineWith({ script: TWO_CALLS });
    const empty = await post(engine, "connect", { threadId: "s1" });
    expect(empty.map((event) => event.type)).toEqual(["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"]);
    expect(empty[1]).toMatchObject({ messages: [] });
    const { agent } = await roundTrip(engine);
    const [, snapshot] = await post(engine, "connect", { threadId: "s1" });
    const messages = snapshot?.["messages"] as { id: string; role: string; toolCallId?: string }[];
    expect(messages.map((message) => message.role)).toEqual(["user", "assistant", "tool", "tool", "assistant"]);
    expect(messages[1]?.id).toBe(agent.messages[1]?.id);
    expect(messages.map((message) => message.toolCallId).filter(Boolean)).toEqual(["call-cart", "call-prices"]);
  });

  it("tells errors of a run as events", async () => {
    const engine = await engineWith({ script: TWO_CALLS });
    const nothing = await post(engine, "run", { threadId: "s1", runId: "t-1", messages: [] });
    expect(nothing.map((event) => event.type)).toEqual(["RUN_STARTED", "RUN_ERROR"]);
    await post(engine, "run", { threadId: "s1", runId: "t-1", messages: [user("m-1", "hi")] });
    engine.operate({ action: "cancel", sessionId: "s1" });
    const cancelled = await post(engine, "run", { threadId: "s1", runId: "t-2", messages: [user("m-2", "hi")] });
    expect(cancelled.at(-1)).toEqual({ type: "RUN_ERROR", message: "the session is cancelled" });
  });

  it.each([["whole"], ["early"]] as const)("sends what the schemas allow where runs end %s", async (agUiRunEnd) => {
    const engine = await engineWith({ script: TWO_CALLS, switches: { agUiRunEnd } });
    const events = await post(engine, "run", { threadId: "s1", runId: "t-1", messages: [user("m-1", "my cart")], tools: TOOLS });
    expect(events.filter((event) => event.type === "TOOL_CALL_START")).toHaveLength(2);
    expect(events.at(-1)?.type).toBe("RUN_FINISHED");
  });

  it("leaves answers alone where it is told to drop them", async () => {
    const engine = await engineWith({ script: TWO_CALLS, switches: { agUiAnswers: "dropped" }, keepAliveMs: 10 });
    const { agent, run } = await clientOf(engine);
    agent.addMessage(user("m-1", "my cart"));
    await run();
    const response = await engine.fetch(`${engine.url}/api/channels/ag-ui/agents/shop/run`, {
      method: "POST",
      headers: { authorization: `Bearer ${await engine.token()}`, "content-type": "application/json" },
      body: JSON.stringify({ threadId: "s1", runId: "t-2", messages: [...agent.messages, answer("call-cart", "1"), answer("call-prices", "2")] }),
    });
    const reader = response.body!.getReader();
    let text = "";
    while (!text.includes(":\n\n")) text += new TextDecoder().decode((await reader.read()).value);
    await reader.cancel();
    expect(text.match(/^data: .*$/gm)).toEqual([expect.stringContaining("RUN_STARTED")]);
    expect(engine.calls("s1").map((call) => call.status)).toEqual(["pending", "pending"]);
  });
});
