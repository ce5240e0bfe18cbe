/** The AG-UI transport where everybody does their worst: options that throw, functions that turn on their own turn, odd answers. */
import { describe, expect, it, vi } from "vitest";
import { type AgUiOptions, type Runtime, tool } from "pagehand";
import { agUiServer, calls, listen, over, run, says } from "./ag-ui-server.ts";
import { gate } from "./page.ts";

const hello = () => agUiServer((input) => run(input, ...says("hi")));
const throws = () => {
  throw new Error("hands off");
};
const trapOf = (runtime: Runtime) => (runtime as unknown as Record<symbol, (later: boolean) => void>)[Symbol.for("pagehand.trap")];

describe("options that throw when they are read", () => {
  it.each<[string, () => AgUiOptions]>([
    ...["connect", "context", "forwardedProps", "state", "messages"].map((part): [string, () => AgUiOptions] => [`a getter of ${part}`, () => Object.defineProperty({}, part, { enumerable: true, get: throws })]),
    ["a proxy", () => new Proxy({}, { ownKeys: throws })],
    ["a proxy of messages", () => ({ messages: new Proxy([], { get: throws }) })],
    ["a getter in the state", () => ({ state: Object.defineProperty({}, "a", { enumerable: true, get: throws }) })],
  ])("are invalid options, with what was thrown: %s", async (_what, make) => {
    await expect(over(hello(), { agUi: make() })).rejects.toMatchObject({ code: "invalid-options", message: expect.stringMatching(/^agUi.*hands off/) });
  });
});

describe("a function that is asked what goes along", () => {
  it("may call off the very message it is asked for, by the message's signal: nothing is sent", async () => {
    const server = hello();
    const stop = new AbortController();
    let armed = false;
    const runtime = await over(server, { agUi: { forwardedProps: () => (armed && stop.abort(new Error("not now")), {}) } });
    await expect.poll(() => (armed = true)).toBe(true);
    const turn = runtime.send("go", { signal: stop.signal });
    expect(await turn.finished).toMatchObject({ status: "cancelled", error: { code: "cancelled", message: expect.stringContaining("not now") } });
    armed = false;
    expect(await runtime.send("next").finished).toMatchObject({ status: "completed" });
    expect(server.runs.map(({ messages }) => messages.at(-1)?.content)).toEqual(["next"]);
  });

  it("may run a tool of the page itself, and is not asked again for that", async () => {
    const server = agUiServer((input, index) => (index === 0 ? run(input, ...calls("c1", "read")) : run(input, ...says("hi"))));
    const [ran, asked] = [vi.fn(() => "read"), vi.fn()];
    const runtime: Runtime = await over(server, {
      tools: [tool({ name: "read", execute: ran })],
      agUi: {
        context: () => {
          asked();
          void runtime?.invoke("read");
          return [];
        },
      },
    });
    await expect.poll(() => ran.mock.calls.length).toBe(1);
    await runtime.send("go").finished;
    await new Promise((resolve) => setTimeout(resolve, 50));
    // When the runtime was made, before the message, and after the agent's call.
    expect(asked).toHaveBeenCalledTimes(3);
    expect(ran).toHaveBeenCalledTimes(4);
  });

  it("may call off another turn, and that one alone", async () => {
    const server = agUiServer((input, index) => (index === 0 ? [{ type: "RUN_STARTED", threadId: input.threadId, runId: input.runId }, "hang"] : run(input, ...says("hi"))));
    const stop = new AbortController();
    const runtime = await over(server, { agUi: { context: () => (server.runs.length === 1 && stop.abort(), []) } });
    const first = runtime.send("one", { signal: stop.signal });
    await expect.poll(() => server.runs.length).toBe(1);
    const second = runtime.send("two");
    expect([(await first.finished).status, (await second.finished).status]).toEqual(["cancelled", "completed"]);
  });

  it("goes on being asked after a warning that nobody could be told of", async () => {
    let bad = false;
    let asked = 0;
    const server = hello();
    const warned = vi.spyOn(console, "warn").mockImplementation(() => { throw new Error("no console"); });
    const reported = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const runtime = await over(server, { agUi: { forwardedProps: () => { if (bad) throws(); return { asked: (asked += 1) }; } } });
    await runtime.send("one").finished;
    bad = true;
    expect(await runtime.send("two").finished).toMatchObject({ status: "completed" });
    bad = false;
    const before = asked;
    await runtime.send("three").finished;
    expect(asked).toBe(before + 1);
    expect(reported).toHaveBeenCalled();
    warned.mockRestore();
    reported.mockRestore();
  });
});

describe("the agent's state", () => {
  it("that was taken back stays so in a module that is made anew, whatever it was to begin with", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const server = hello();
    // Nothing is kept, so that the new module knows only what it is told.
    const storage = { takeOver: throws, write: throws, clear: async () => undefined, close: () => undefined };
    const runtime = await over(server, { storage, agUi: { state: { old: true } } });
    listen(runtime, "warning");
    const fatal = listen(runtime, "fatal");
    await expect.poll(() => trapOf(runtime)).toBeDefined();
    runtime.setAgentState(undefined);
    trapOf(runtime)?.(false);
    await expect.poll(() => fatal.length).toBe(1);
    await runtime.send("go").finished;
    expect(server.runs[0]?.state).toEqual({});
  });

  it("may be changed within handlers and listeners: what was set last goes out", async () => {
    const server = agUiServer((input, index) => (index === 0 ? run(input, { type: "STATE_SNAPSHOT", snapshot: { by: "server" } }, ...calls("c1", "t")) : run(input, ...says("ok"))));
    const runtime: Runtime = await over(server, { tools: [tool({ name: "t", execute: () => runtime.setAgentState({ by: "handler" }) })] });
    runtime.on("state", () => runtime.setAgentState({ by: "listener" }));
    await runtime.send("go").finished;
    expect(server.runs[1]?.state).toEqual({ by: "handler" });
    expect(runtime.agentState).toEqual({ by: "handler" });
  });

  it.each<[string, unknown]>([
    ["a Symbol", Symbol("s")],
    ["a Proxy that throws", new Proxy({}, { ownKeys: throws })],
    ["a getter that throws", Object.defineProperty({}, "a", { enumerable: true, get: throws })],
    ["a Blob", new Blob(["x"])],
    ["a promise", Promise.resolve(1)],
  ])("is refused where it is %s, and the last one stays", async (_what, state) => {
    const server = hello();
    const runtime = await over(server, { agUi: { state: { good: true } } });
    expect(() => runtime.setAgentState(state)).toThrow(expect.objectContaining({ code: "invalid-options", message: expect.stringMatching(/^agUi\.state/) }));
    await runtime.send("go").finished;
    expect(server.runs[0]?.state).toEqual({ good: true });
  });
});

describe("what comes from fetch and token", () => {
  it.each<[string, () => Response, RegExp]>([
    ["no content", () => new Response(null, { status: 204 }), /204/],
    ["no body", () => new Response(null), /event stream/],
    ["a page of HTML", () => new Response("<p>Log in</p>", { headers: { "content-type": "text/html" } }), /event stream.*Log in/],
    ["a redirection", () => Response.redirect("https://elsewhere.test/"), /302/],
  ])("ends the turn with words where it is %s", async (_what, response, words) => {
    const runtime = await over(hello(), { fetch: async () => response() });
    expect(await runtime.send("go").finished).toMatchObject({ status: "failed", error: { code: "message-refused", message: expect.stringMatching(words) } });
  });

  it.each<[string, () => unknown, RegExp]>([
    ["fetch that gives nothing", () => ({ fetch: async () => undefined }), /no response/],
    ["fetch that throws a Symbol", () => ({ fetch: () => { throw Symbol("s"); } }), /server reachable/],
    ["fetch whose response has been read", () => ({ fetch: async () => { const used = new Response("data: {}\n\n", { headers: { "content-type": "text/event-stream" } }); await used.text(); return used; } }), /locked|used|disturbed/i],
    ["token that throws", () => ({ token: throws }), /token callback failed/],
    ["token that is a number", () => ({ token: () => 5 }), /other than a string/],
    ["token with a line break", () => ({ token: () => "a\nb" }), /cannot be a bearer token/],
  ])("is told by `connection` and tried again where it is a %s, until the turn is called off", async (_what, options, hint) => {
    const runtime = await over(hello(), { engine: "https://ag-ui.test/elsewhere", ...(options() as object) });
    const told = listen(runtime, "connection");
    const turn = runtime.send("go");
    await expect.poll(() => told.filter((event) => event.type === "connection" && event.state === "waiting").length).toBeGreaterThan(1);
    expect(told).toContainEqual(expect.objectContaining({ state: "waiting", code: "stream-network", hint: expect.stringMatching(hint) }));
    turn.cancel();
    expect(await turn.finished).toMatchObject({ status: "cancelled" });
  });
});

describe("a signal that aborts", () => {
  it.each<[string, number]>([["at once", 0], ["in fetch", 0], ["when the turn begins", 1], ["at a call", 1], ["in the handler", 1], ["in the run that brings the answers", 2]])("%s ends the turn as cancelled, after %i runs, and the next message goes", async (when, runs) => {
    const stop = new AbortController();
    const at = (moment: string) => moment === when && stop.abort(new Error(when));
    const server = agUiServer((input, index) => (index === 1 && at("in the run that brings the answers"), index === 0 ? run(input, ...calls("c1", "t")) : run(input, ...says("hi"))));
    const runtime = await over(server, { fetch: (request) => (at("in fetch"), server.fetch(request)), tools: [tool({ name: "t", execute: () => void at("in the handler") })] });
    runtime.on("turn.started", () => at("when the turn begins"));
    runtime.on("call", () => at("at a call"));
    const turn = runtime.send("go", { signal: stop.signal });
    queueMicrotask(() => at("at once"));
    expect(await turn.finished).toMatchObject({ status: "cancelled", error: { message: expect.stringContaining(when) } });
    expect(server.runs).toHaveLength(runs);
    const next = await runtime.send("next").finished;
    expect(next.status).toBe("completed");
    expect(runtime.pending).toEqual([]);
    const last = server.runs.at(-1);
    const called = last?.messages.flatMap(({ toolCalls = [] }) => toolCalls.map((one) => (one as { id: string }).id)) ?? [];
    expect([...new Set(last?.messages.flatMap(({ toolCallId }) => toolCallId ?? []))]).toEqual(called);
  });
});

describe("runtime.resume", () => {
  it("twice at once has one answer, the first; of what is not there it says so", async () => {
    const server = agUiServer((input, index) =>
      index === 0
        ? [{ type: "RUN_STARTED", threadId: input.threadId, runId: input.runId }, { type: "RUN_FINISHED", threadId: input.threadId, runId: input.runId, outcome: { type: "interrupt", interrupts: [{ id: "i1", reason: "confirm" }] } }]
        : run(input, ...says("ok")),
    );
    const runtime = await over(server);
    const turn = runtime.send("go");
    await expect.poll(() => runtime.interrupts.length).toBe(1);
    expect(await runtime.resume("i2", 1)).toMatchObject({ error: { code: "interrupt-refused" } });
    expect(await runtime.resume("i1", () => 1)).toMatchObject({ error: { code: "invalid-options" } });
    expect(await Promise.all([runtime.resume("i1", 1), runtime.resume("i1", 2)])).toEqual([{}, {}]);
    await turn.finished;
    expect(server.runs.map(({ resume }) => resume)).toEqual([undefined, [{ interruptId: "i1", status: "resolved", payload: 1 }]]);
    expect(await runtime.resume("i1", 3)).toMatchObject({ error: { code: "interrupt-refused" } });
  });
});

describe("runtime.close", () => {
  it("in the middle of a run aborts it, and ends every turn and resume that waits", async () => {
    const server = agUiServer((input) => [{ type: "RUN_STARTED", threadId: input.threadId, runId: input.runId }, ...calls("c1", "t"), "hang"]);
    const runtime = await over(server);
    const turns = [runtime.send("one"), runtime.send("two")];
    await expect.poll(() => server.runs.length).toBe(1);
    await runtime.close();
    for (const turn of turns) expect(await turn.finished).toMatchObject({ status: "cancelled", error: { code: "closed" } });
    expect(server.signals[0]?.aborted).toBe(true);
    expect(() => runtime.setAgentState({})).toThrow(expect.objectContaining({ code: "closed" }));
  });

  it("from a listener in the middle of a reply ends the turn with what was told", async () => {
    const held = gate();
    const server = agUiServer((input) => run(input, ...says("hi"), held.promise));
    const runtime = await over(server);
    const turn = runtime.send("go");
    turn.on("text", () => void runtime.close());
    expect(await turn.finished).toMatchObject({ status: "cancelled", text: "hi" });
    held.open();
  });
});

describe("addresses and names", () => {
  it.each(["https://ag-ui.test/agents/ünïcode ä/run", "https://ag-ui.test/agents/a%2Fb/run?x=1&y=ü", "https://ag-ui.test/agents/%zz/run"])("%s is asked as it is written, by run and connect alike", async (engine) => {
    const server = agUiServer((input) => run(input, ...says("ok")), (input) => run(input, { type: "MESSAGES_SNAPSHOT", messages: [] }));
    const runtime = await over(server, { engine, session: "known" });
    await runtime.send("go").finished;
    const { href } = new URL(engine);
    expect(server.urls).toEqual([href.replace("/run", "/connect"), href]);
  });

  it.each(["a b", "ä/ö?#", "\n", "__proto__", "😀", "x".repeat(10_000)])("the session %j is the thread", async (session) => {
    const server = hello();
    expect(await (await over(server, { session })).send("go").finished).toMatchObject({ status: "completed" });
    expect(server.runs[0]?.threadId).toBe(session);
  });

  it("a thousand tools are declared", async () => {
    const server = hello();
    await (await over(server, { tools: Array.from({ length: 1_000 }, (_one, index) => tool({ name: `t${index}`, execute: () => index })) })).send("go").finished;
    expect(server.runs[0]?.tools).toHaveLength(1_000);
  });
});
