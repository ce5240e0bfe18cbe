/** What goes along with every run over AG-UI, and what its server tells beside text and calls. */
import { describe, expect, it, onTestFinished } from "vitest";
import { type Runtime, type RuntimeEvent, createRuntime, tool } from "pagehand";
import { RUN, agUiServer, calls, listen, over, run, says } from "./ag-ui-server.ts";

const told = (runtime: Runtime) => {
  const messages: string[] = [];
  runtime.on("warning", ({ message }) => messages.push(message));
  return messages;
};

describe("the conversation to begin with", () => {
  it("stands before the first message", async () => {
    const messages = [{ id: "m1", role: "user" as const, content: "earlier" }, { id: "m2", role: "assistant" as const, content: "I remember" }];
    const server = agUiServer((input) => run(input, ...says("hi")));
    await (await over(server, { agUi: { messages } })).send("now").finished;
    expect(server.runs[0]?.messages.map(({ id, content }) => [id, content])).toEqual([["m1", "earlier"], ["m2", "I remember"], [expect.any(String), "now"]]);
  });
});

describe("the agent's state", () => {
  const STATES = [{ type: "STATE_SNAPSHOT", snapshot: { step: 1, id: 1 } }, { type: "STATE_DELTA", delta: [{ op: "replace", path: "/step", value: 2 }] }];

  it("goes out with the first run, and is told whole after each snapshot and patch", async () => {
    const server = agUiServer((input) => run(input, ...STATES, ...says("hi")));
    const runtime = await over(server, { agUi: { state: { step: 0, big: 9007199254740993n } } });
    expect(runtime.agentState).toEqual({ step: 0, big: 9007199254740993n });
    const seen = listen(runtime, "state");
    const turn = runtime.send("go");
    const within: unknown[] = [];
    turn.on("state", ({ state }) => within.push([state, runtime.agentState, turn.agentState]));
    await turn.finished;
    expect(server.texts[0]).toContain('"state":{"step":0,"big":9007199254740993}');
    expect(seen).toEqual([1, 2].map((step) => ({ type: "state", turnId: turn.id, state: { step, id: 1 } })));
    expect(within).toEqual([1, 2].map((step) => Array(3).fill({ step, id: 1 })));
    expect([runtime.agentState, turn.agentState]).toEqual(Array(2).fill({ step: 2, id: 1 }));
  });

  it("is known though nobody listens, and goes back with the next run", async () => {
    const server = agUiServer((input, index) => run(input, ...(index === 0 ? STATES : []), ...says("hi")));
    const runtime = await over(server);
    await runtime.send("go").finished;
    expect(runtime.agentState).toEqual({ step: 2, id: 1 });
    await runtime.send("again").finished;
    expect(server.runs[1]?.state).toEqual({ step: 2, id: 1 });
  });

  it("of a conversation that exists is known before anybody sends or listens", async () => {
    const server = agUiServer(
      (input) => run(input, ...says("hi")),
      (input) => run(input, { type: "STATE_SNAPSHOT", snapshot: { step: 7 } }, { type: "MESSAGES_SNAPSHOT", messages: [{ id: "m1", role: "user", content: "earlier" }] }),
    );
    const runtime = await over(server, { session: "one-that-exists" });
    await expect.poll(() => runtime.agentState).toEqual({ step: 7 });
    await runtime.send("go").finished;
    expect(server.urls).toEqual([RUN.replace(/run$/, "connect"), RUN]);
    expect(server.runs[0]).toMatchObject({ threadId: "one-that-exists", state: { step: 7 }, messages: [{ id: "m1", content: "earlier" }, { content: "go" }] });
  });

  it("may be changed by the page", async () => {
    const server = agUiServer((input) => run(input, ...says("hi")));
    const runtime = await over(server);
    runtime.setAgentState({ mine: 9007199254740993n });
    expect(runtime.agentState).toEqual({ mine: 9007199254740993n });
    await runtime.send("go").finished;
    expect(server.texts[0]).toContain('"state":{"mine":9007199254740993}');
    runtime.setAgentState(undefined);
    await runtime.send("go").finished;
    expect(server.runs[1]?.state).toEqual({});
  });

  it("that JSON cannot hold is refused, and the old one stays", async () => {
    const server = agUiServer((input) => run(input, ...says("hi")));
    const runtime = await over(server, { agUi: { state: { good: true } } });
    expect(() => runtime.setAgentState({ bad: () => 1 })).toThrow(expect.objectContaining({ code: "invalid-options", message: expect.stringContaining("agUi.state.bad") }));
    expect(runtime.agentState).toEqual({ good: true });
    await runtime.send("go").finished;
    expect(server.runs[0]?.state).toEqual({ good: true });
  });

  it("is no matter of the other transports", async () => {
    const runtime = await createRuntime({ engine: "https://e.test", agent: "a" });
    onTestFinished(() => runtime.close());
    expect(runtime.agentState).toBeUndefined();
    expect(() => runtime.setAgentState({})).toThrow(expect.objectContaining({ code: "invalid-options" }));
    await runtime.close();
    expect(() => runtime.setAgentState({})).toThrow(expect.objectContaining({ code: "closed" }));
  });
});

describe("what the server tells beside text and calls", () => {
  it("is told as events of the turn, and what is not known is kept whole", async () => {
    const server = agUiServer((input) =>
      run(
        input,
        { type: "STEP_STARTED", stepName: "look" },
        { type: "REASONING_START", messageId: "r1" },
        { type: "REASONING_MESSAGE_START", messageId: "r1", role: "reasoning" },
        { type: "REASONING_MESSAGE_CONTENT", messageId: "r1", delta: "let me " },
        { type: "REASONING_MESSAGE_CONTENT", messageId: "r1", delta: "see" },
        { type: "REASONING_MESSAGE_END", messageId: "r1" },
        { type: "REASONING_END", messageId: "r1" },
        { type: "ACTIVITY_SNAPSHOT", messageId: "a1", activityType: "PLAN", content: { todo: ["one"] } },
        { type: "ACTIVITY_DELTA", messageId: "a1", activityType: "PLAN", patch: [{ op: "add", path: "/todo/-", value: "two" }] },
        { type: "CUSTOM", name: "colour", value: { is: "green" } },
        { type: "RAW", event: { from: "elsewhere" }, source: "x" },
        { type: "NEWS_OF_TOMORROW", what: "ever" },
        { type: "STEP_FINISHED", stepName: "look" },
        ...says("done"),
      ),
    );
    const runtime = await over(server);
    const turn = runtime.send("go");
    const events: RuntimeEvent[] = [];
    for await (const event of turn) if (["reasoning", "activity", "step", "custom", "raw"].includes(event.type)) events.push(event);
    const turnId = turn.id;
    expect(events).toEqual([
      { type: "step", turnId, name: "look", status: "started" },
      { type: "reasoning", turnId, messageId: "r1", delta: "let me " },
      { type: "reasoning", turnId, messageId: "r1", delta: "see" },
      { type: "activity", turnId, messageId: "a1", activityType: "PLAN", content: { todo: ["one"] } },
      { type: "activity", turnId, messageId: "a1", activityType: "PLAN", content: { todo: ["one", "two"] } },
      { type: "custom", turnId, name: "colour", value: { is: "green" } },
      { type: "raw", turnId, name: "RAW", event: expect.objectContaining({ event: { from: "elsewhere" } }) },
      { type: "raw", turnId, name: "NEWS_OF_TOMORROW", event: expect.objectContaining({ what: "ever" }) },
      { type: "step", turnId, name: "look", status: "finished" },
    ]);
    expect(turn.reasoning).toBe("let me see");
    expect(turn.text).toBe("done");
  });
});

describe("context and forwarded props", () => {
  it("go along with every run as they are given", async () => {
    const context = [{ description: "the page", value: "cart" }];
    const server = agUiServer((input, index) => (index === 0 ? run(input, ...calls("c1", "read_cart")) : run(input, ...says("hi"))));
    await (await over(server, { agUi: { context, forwardedProps: { id: 9007199254740993n } } })).send("go").finished;
    expect(server.runs.map((one) => one.context)).toEqual([context, context]);
    for (const text of server.texts) expect(text).toContain('"forwardedProps":{"id":9007199254740993}');
  });

  it("are asked anew before each run where they are functions, after handlers too", async () => {
    let items = 0;
    const add = tool({ name: "add", execute: () => ++items });
    const server = agUiServer((input, index) => (index === 1 ? run(input, ...calls("c1", "add")) : run(input, ...says("hi"))));
    const runtime = await over(server, { tools: [add], agUi: { context: () => [{ description: "items", value: String(items) }], forwardedProps: () => ({ items }) } });
    await runtime.send("go").finished;
    items = 5;
    await runtime.send("add one").finished;
    expect(server.runs.map((one) => one.context)).toEqual(["0", "5", "6"].map((value) => [{ description: "items", value }]));
    expect(server.runs.map((one) => one.forwardedProps)).toEqual([{ items: 0 }, { items: 5 }, { items: 6 }]);
  });

  it.each<[string, () => unknown, RegExp]>([
    ["throws", () => { throw new Error("no cart yet"); }, /no cart yet/],
    ["gives no list", () => ({ description: "x", value: "y" }), /list of objects/],
    ["gives values that are no text", () => [{ description: "x", value: 1 }], /list of objects/],
    ["gives a promise", async () => [], /list of objects/],
  ])("that %s is a warning, and the last good value goes", async (_name, bad, words) => {
    let now: () => unknown = () => [{ description: "good", value: "1" }];
    const server = agUiServer((input) => run(input, ...says("hi")));
    const runtime = await over(server, { agUi: { context: (() => now()) as never } });
    const warnings = told(runtime);
    await runtime.send("one").finished;
    now = bad;
    await runtime.send("two").finished;
    expect(server.runs[1]?.context).toEqual([{ description: "good", value: "1" }]);
    expect(warnings).toEqual([expect.stringMatching(words)]);
    expect(warnings[0]).toContain("agUi.context");
  });

  it("are not asked any more once the runtime is closed, from within them too", async () => {
    const server = agUiServer((input) => run(input, ...says("hi")));
    let asked = 0;
    const runtime: Runtime = await over(server, { agUi: { forwardedProps: () => (++asked === 2 && void runtime.close(), {}) } });
    await expect.poll(() => asked).toBe(1);
    expect(await runtime.send("go").finished).toMatchObject({ status: "cancelled" });
    const other = await over(server, { agUi: { forwardedProps: () => (asked += 1) } });
    await other.close();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(asked).toBe(2);
  });

  it("may be functions that use the runtime, a message among it, without being asked without end", async () => {
    const server = agUiServer((input) => run(input, ...says("hi")));
    let [asked, depth, deepest] = [0, 0, 0];
    const within: Promise<unknown>[] = [];
    const runtime: Runtime = await over(server, {
      agUi: {
        forwardedProps: () => {
          deepest = Math.max(deepest, ++depth);
          // The first time is when the runtime has just been made.
          if (++asked > 1 && asked < 5) within.push(runtime.send("from within").finished);
          depth -= 1;
          return { state: runtime.state };
        },
      },
    });
    await expect.poll(() => asked).toBe(1);
    expect(await runtime.send("go").finished).toMatchObject({ status: "completed" });
    expect(within).toHaveLength(1);
    expect(await within[0]).toMatchObject({ status: "completed" });
    expect(deepest).toBe(1);
  });
});
