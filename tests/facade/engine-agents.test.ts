/** What the bundled engine has beside one agent and one stream: sub-agents, and the trigger endpoint. */
import { describe, expect, it, onTestFinished } from "vitest";
import { type TestEngine, type TestEngineOptions, createTestEngine, parseEventStream } from "pagehand/testing";

const tools = [{ name: "read_page", handler: "client" as const, input: { type: "object", properties: { part: { type: "string" } } } }];
const poet = {
  tools,
  script: {
    rules: [
      { when: { user: "*" }, call: [{ name: "read_page", arguments: { part: 7 } }] },
      { when: { after: "read_page" }, say: "Of {{result}}" },
    ],
  },
};

async function open(options: TestEngineOptions): Promise<TestEngine> {
  const engine = await createTestEngine({ deltaIntervalMs: 1, ...options });
  onTestFinished(() => engine.close());
  return engine;
}

async function post(engine: TestEngine, path: string, body: unknown): Promise<number> {
  const headers = { authorization: `Bearer ${await engine.token()}`, "content-type": "application/json" };
  const response = await engine.fetch(`${engine.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return response.status;
}

const say = (content: string) => ({ session_id: "s1", input: { type: "client.message", agent_id: "shop", message: { role: "user", content } } });

/** The first trigger that the stream of a session tells. */
async function firstTrigger(engine: TestEngine, session: string): Promise<unknown> {
  const leave = new AbortController();
  const response = await engine.fetch(`${engine.url}/api/client/triggers?session_id=${session}`, {
    headers: { authorization: `Bearer ${await engine.token()}` },
    signal: leave.signal,
  });
  const chunks: Uint8Array[] = [];
  const reader = response.body!.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error("the stream ended without a trigger");
    chunks.push(value);
    const [first] = (await parseEventStream(chunks)).events;
    if (!first) continue;
    leave.abort();
    return JSON.parse(first.data);
  }
}

describe("sub-agents of the bundled engine", () => {
  it("run in sessions of their own, whose client calls are told as triggers", async () => {
    const engine = await open({
      agent: { subagents: [{ id: "poet" }] },
      agents: { poet },
      script: {
        rules: [
          { when: { user: "*" }, call: [{ name: "poet", arguments: { message: "rain" } }] },
          { when: { after: "poet" }, say: "{{result:poet/result}}" },
        ],
      },
    });
    expect(await post(engine, "/api/client/sessions/input", say("go"))).toBe(202);
    await expect.poll(() => engine.children("s1")[0]?.status).toBe("pending");
    const child = engine.children("s1")[0]!.sessionId;
    await expect.poll(() => engine.calls(child)[0]?.status).toBe("pending");

    const told = await firstTrigger(engine, child);
    const id = engine.calls(child)[0]!.id;
    expect(told).toMatchObject({ type: "tool.execute", id, input: { status: "invalid", value: { part: 7 } } });
    expect(told).toHaveProperty("proposed.actions.0.error", expect.stringMatching(/^invalid tool arguments: \/part: /));

    expect(await post(engine, `/api/client/triggers?session_id=${child}`, { type: "tool.result", id, result: "snow" })).toBe(202);
    await expect.poll(() => engine.log("s1").at(-1)?.payload.type).toBe("session.done");
    expect(engine.children("s1")[0]).toMatchObject({ agentId: "poet", status: "completed", rendered: `{"session":"${child}","result":"Of snow"}` });
    expect(engine.messages("s1").at(-1)).toMatchObject({ role: "assistant", content: "Of snow" });
  });
});
