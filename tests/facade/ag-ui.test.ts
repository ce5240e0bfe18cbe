/** A runtime over AG-UI against a server that does as each test says: what goes out, and how turns end. */
import { describe, expect, it, vi } from "vitest";
import { tool } from "pagehand";
import { agUiServer, calls, listen, over, run, says } from "./ag-ui-server.ts";
import { gate } from "./page.ts";

describe("a turn", () => {
  it("runs the calls of a reply here and brings all their answers in one next run", async () => {
    const server = agUiServer((input, index) => (index === 0 ? run(input, ...calls("c1", "read_cart"), ...calls("c2", "read_cart")) : run(input, ...says("Three items."))));
    const runtime = await over(server);
    const turn = runtime.send("What is in my cart?");
    const result = await turn.finished;
    expect(result).toMatchObject({ status: "completed", text: "Three items." });
    expect(result.report.children).toMatchObject([
      { type: "tool", name: "read_cart", callId: "c1", status: "completed", output: { items: 3 } },
      { type: "tool", name: "read_cart", callId: "c2", status: "completed", output: { items: 3 } },
    ]);
    expect(server.runs).toHaveLength(2);
    const [first, second] = server.runs;
    expect(first).toMatchObject({ threadId: runtime.sessionId, messages: [{ role: "user", content: "What is in my cart?" }], tools: [{ name: "read_cart" }] });
    expect(second?.threadId).toBe(runtime.sessionId);
    expect(second?.runId).not.toBe(first?.runId);
    expect(second?.messages.map(({ role, toolCallId, content }) => (role === "tool" ? [toolCallId, content] : role))).toEqual(["user", "assistant", ["c1", '{"items":3}'], ["c2", '{"items":3}']]);
  });

  it("keeps every digit of what a tool returns", async () => {
    const big = tool({ name: "big", execute: () => ({ id: 9007199254740993n }) });
    const server = agUiServer((input, index) => (index === 0 ? run(input, ...calls("c1", "big")) : run(input, ...says("ok"))));
    const runtime = await over(server, { tools: [big] });
    await runtime.send("go").finished;
    expect(server.runs[1]?.messages.at(-1)).toMatchObject({ role: "tool", content: '{"id":9007199254740993}' });
  });

  it("goes on with the same conversation at the next message", async () => {
    const server = agUiServer((input, index) => run(input, ...says(`reply ${index}`, `m${index}`)));
    const runtime = await over(server);
    await runtime.send("one").finished;
    await runtime.send("two").finished;
    expect(server.runs[1]?.messages.map(({ role, content }) => [role, content])).toEqual([["user", "one"], ["assistant", "reply 0"], ["user", "two"]]);
  });

  it("ends without another run when all calls of a reply were of silent tools, whose answers the next message brings", async () => {
    const shown = vi.fn();
    const server = agUiServer((input, index) => (index === 0 ? run(input, ...calls("c1", "show", { what: "a chart" })) : run(input, ...says("ok"))));
    const runtime = await over(server, { tools: [tool({ name: "show", mode: "silent", execute: shown })] });
    expect(await runtime.send("show it").finished).toMatchObject({ status: "completed", report: { children: [{ name: "show", status: "completed" }] } });
    expect(shown).toHaveBeenCalledOnce();
    expect(server.runs).toHaveLength(1);
    await runtime.send("thanks").finished;
    expect(server.runs[1]?.messages.map(({ role, toolCallId }) => toolCallId ?? role)).toEqual(["user", "assistant", "c1", "user"]);
  });

  it("lets a message that is sent meanwhile wait for its end, or refuses it", async () => {
    const go = gate();
    const server = agUiServer((input, index) => (index === 0 ? run(input, go.promise, ...says("first")) : run(input, ...says("second"))));
    const runtime = await over(server);
    const first = runtime.send("one");
    const second = runtime.send("two");
    expect(await runtime.send("three", { queue: false }).finished).toMatchObject({ status: "failed", error: { code: "message-refused" } });
    go.open();
    expect([(await first.finished).text, (await second.finished).text]).toEqual(["first", "second"]);
    expect(server.runs[1]?.messages.map(({ content }) => content)).toEqual(["one", "first", "two"]);
  });

  it("that the server ends with an error is failed, with the server's words", async () => {
    const server = agUiServer(({ threadId, runId }) => [{ type: "RUN_STARTED", threadId, runId }, { type: "RUN_ERROR", message: "the model is tired", code: "busy" }]);
    expect(await (await over(server)).send("go").finished).toMatchObject({ status: "failed", error: { message: expect.stringContaining("the model is tired") } });
  });

  it("ends when the model makes the same calls and gets the same answers again and again", async () => {
    const server = agUiServer((input, index) => run(input, ...calls(`c${index}`, "read_cart")));
    const runtime = await over(server, { tuning: { maxIdenticalRounds: 2 } });
    expect(await runtime.send("go").finished).toMatchObject({ status: "failed", error: { code: "turn-looped" } });
    expect(server.runs.length).toBeLessThan(5);
  });

  it("ends after the most runs it may have", async () => {
    const server = agUiServer((input, index) => run(input, ...calls(`c${index}`, "count", { index })));
    const runtime = await over(server, { tools: [tool({ name: "count", execute: (input) => input })], tuning: { maxRounds: 4 } });
    expect(await runtime.send("go").finished).toMatchObject({ status: "failed", error: { code: "turn-looped" } });
    expect(server.runs.length).toBeLessThanOrEqual(5);
  });

  it("asks a token for each run and sends nothing else of the page's", async () => {
    const sent: Request[] = [];
    const server = agUiServer((input) => run(input, ...says("hi")));
    const fetch = (request: Request) => {
      // Headers of one's own are set as the guide says.
      request.headers.set("x-tenant", "seven");
      sent.push(request.clone());
      return server.fetch(request);
    };
    await (await over(server, { token: () => "secret-token", fetch })).send("go").finished;
    expect(sent.map(({ headers, credentials, method }) => [method, headers.get("authorization"), headers.get("x-tenant"), headers.get("accept"), headers.get("content-type"), credentials])).toEqual([
      ["POST", "Bearer secret-token", "seven", "text/event-stream", "application/json", "omit"],
    ]);
    expect(server.texts.join()).not.toContain("secret-token");
  });

  it("opens the stream for a run alone", async () => {
    const server = agUiServer((input) => run(input, ...says("hi")));
    const runtime = await over(server);
    const states = listen(runtime, "connection");
    await runtime.send("go").finished;
    await expect.poll(() => runtime.state).toBe("idle");
    expect(states.map((event) => (event as { state: string }).state)).toEqual(expect.arrayContaining(["open", "idle"]));
  });
});

describe("calling a turn off", () => {
  const hanging = () => agUiServer(({ threadId, runId }) => [{ type: "RUN_STARTED", threadId, runId }, ...says("wait"), "hang"]);

  it("aborts its request and ends it as cancelled", async () => {
    const server = hanging();
    const runtime = await over(server);
    const turn = runtime.send("go");
    await expect.poll(() => turn.text).toBe("wait");
    turn.cancel("the user pressed stop");
    expect(await turn.finished).toMatchObject({ status: "cancelled", error: { code: "cancelled", message: expect.stringContaining("the user pressed stop") } });
    expect(server.signals[0]?.aborted).toBe(true);
    turn.cancel();
    expect(server.runs).toHaveLength(1);
  });

  it("may be done by a signal, and leaves the next message free to go", async () => {
    const server = agUiServer((input, index) => (index === 0 ? [{ type: "RUN_STARTED", ...input }, "hang"] : run(input, ...says("hi"))));
    const runtime = await over(server);
    const stop = new AbortController();
    const turn = runtime.send("go", { signal: stop.signal });
    await expect.poll(() => server.runs.length).toBe(1);
    stop.abort(new Error("enough"));
    expect(await turn.finished).toMatchObject({ status: "cancelled", error: { message: expect.stringContaining("enough") } });
    expect(server.signals[0]?.aborted).toBe(true);
    expect(await runtime.send("next").finished).toMatchObject({ status: "completed", text: "hi" });
  });

  it("stops the handlers that it runs, whose answers go nowhere", async () => {
    const started = gate();
    const reasons: unknown[] = [];
    const slow = tool({
      name: "slow",
      execute: (_input, { signal }) => {
        started.open();
        return new Promise((resolve) => signal.addEventListener("abort", () => (reasons.push(signal.reason), resolve("late"))));
      },
    });
    const server = agUiServer((input, index) => (index === 0 ? run(input, ...calls("c1", "slow")) : run(input, ...says("hi"))));
    const runtime = await over(server, { tools: [slow] });
    const turn = runtime.send("go");
    await started.promise;
    turn.cancel();
    expect(await turn.finished).toMatchObject({ status: "cancelled" });
    expect(reasons).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(server.runs).toHaveLength(1);
  });

  it("before it began sends nothing", async () => {
    const server = hanging();
    const runtime = await over(server);
    const ended = listen(runtime, "turn.finished");
    const turn = runtime.send("go", { signal: AbortSignal.abort(new Error("never mind")) });
    expect(await turn.finished).toMatchObject({ status: "cancelled", error: { code: "cancelled", message: "never mind" } });
    expect(ended).toHaveLength(1);
    expect(server.runs).toEqual([]);
  });
});

describe("an interrupt", () => {
  const asking = () =>
    agUiServer((input, index) =>
      index === 0
        ? [{ type: "RUN_STARTED", ...ids(input) }, ...says("Shall I?"), { type: "RUN_FINISHED", ...ids(input), outcome: { type: "interrupt", interrupts: [{ id: "i1", reason: "confirm", message: "Pay 3?" }] } }]
        : run(input, ...says("Done.")),
    );
  const ids = ({ threadId, runId }: { threadId: string; runId: string }) => ({ threadId, runId });

  it("is told and listed, and its answer goes out with the next run", async () => {
    const server = asking();
    let at = 1;
    const runtime = await over(server, { agUi: { forwardedProps: () => ({ at }) } });
    const seen = listen(runtime, "interrupt", "interrupt.resumed");
    const turn = runtime.send("pay");
    await expect.poll(() => runtime.interrupts).toMatchObject([{ interruptId: "i1", reason: "confirm", turnId: turn.id }]);
    at = 2;
    expect(await runtime.resume("i1", { approved: true, sum: 9007199254740993n })).toEqual({});
    expect(await turn.finished).toMatchObject({ status: "completed", text: "Done." });
    expect(server.runs[1]).toMatchObject({ resume: [{ interruptId: "i1", status: "resolved", payload: { approved: true } }], forwardedProps: { at: 2 } });
    expect(server.texts[1]).toContain('"sum":9007199254740993');
    expect(seen.map(({ type }) => type)).toEqual(["interrupt", "interrupt.resumed"]);
  });

  it("may be refused by the person", async () => {
    const server = asking();
    const runtime = await over(server);
    const turn = runtime.send("pay");
    await expect.poll(() => runtime.interrupts.length).toBe(1);
    expect(await runtime.resume("i1", undefined, { cancelled: true })).toEqual({});
    await turn.finished;
    expect(server.runs[1]?.resume).toEqual([{ interruptId: "i1", status: "cancelled" }]);
  });
});

it("after a trap the fresh module has the conversation, the state and what goes along", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const server = agUiServer((input, index) => run(input, ...(index === 0 ? [{ type: "STATE_SNAPSHOT", snapshot: { step: 2 } }] : []), ...says(`reply ${index}`, `m${index}`)));
  const context = [{ description: "the page", value: "cart" }];
  let tenant = 1;
  const runtime = await over(server, { agUi: { context, forwardedProps: () => ({ tenant }) } });
  const fatal = listen(runtime, "fatal");
  await runtime.send("one").finished;
  tenant = 2;
  (runtime as unknown as Record<symbol, (later: boolean) => void>)[Symbol.for("pagehand.trap")]?.(false);
  await expect.poll(() => fatal.length).toBe(1);
  expect(await runtime.send("two").finished).toMatchObject({ status: "completed", text: "reply 1" });
  expect(server.runs[1]).toMatchObject({ context, forwardedProps: { tenant: 2 }, state: { step: 2 }, messages: [{ content: "one" }, { content: "reply 0" }, { content: "two" }] });
  expect(runtime.agentState).toEqual({ step: 2 });
});

it("a session that the server refuses to this user is not continued by the tab's next page", async () => {
  const kept = new Map<string, string>();
  vi.stubGlobal("document", { addEventListener: () => undefined, hidden: false });
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  });
  const server = agUiServer(() => new Response("no", { status: 403 }));
  const runtime = await over(server);
  expect([...kept.values()]).toEqual([runtime.sessionId]);
  expect(await runtime.send("go").finished).toMatchObject({ status: "failed" });
  expect([...kept.values()]).toEqual([]);
});
