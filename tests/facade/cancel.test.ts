/** Calling a turn off over the native transport: what was not sent is withdrawn, what runs is answered as cancelled. */
import { describe, expect, it, vi } from "vitest";
import { tool } from "pagehand";
import { gate, oneCall, open } from "./page.ts";

/** A tool that runs until it is told to stop. */
function hanging() {
  const started = gate();
  const reasons: unknown[] = [];
  const one = tool({
    name: "hang",
    execute: (_input, { signal }) => {
      started.open();
      return new Promise((resolve) => signal.addEventListener("abort", () => (reasons.push((signal.reason as Error).name), resolve("late"))));
    },
  });
  return { one, started: started.promise, reasons };
}

describe("turn.cancel", () => {
  it("answers the calls that are open as cancelled, once, and the turn ends when the engine ends it", async () => {
    const { one, started, reasons } = hanging();
    const { engine, runtime } = await open(oneCall("hang"), { tools: [one] });
    const turn = runtime.send("go");
    await started;
    turn.cancel("the user pressed stop");
    turn.cancel("twice");
    const result = await turn.finished;
    expect(result).toMatchObject({ status: "completed", text: "Done." });
    expect(result.report.children).toMatchObject([{ error: { code: "cancelled" } }]);
    const [call] = engine.calls(runtime.sessionId);
    expect(call?.rendered).toContain("the user pressed stop");
    expect(call?.settlements.filter((settled) => settled.accepted)).toHaveLength(1);
    expect(reasons).toEqual(["AbortError"]);
  });

  it("withdraws a message that was not sent yet", async () => {
    const posting = gate();
    const page = await open({ script: { otherwise: { say: "hi" } } });
    const { engine } = page;
    await page.runtime.close();
    let posts = 0;
    const { runtime } = await open({}, {
      engine: engine.url,
      token: () => engine.token(),
      fetch: async (request) => {
        if (request.method === "POST" && ++posts === 1) await posting.promise;
        return engine.fetch(request);
      },
    });
    const [first, second] = [runtime.send("first"), runtime.send("second")];
    await expect.poll(() => posts).toBe(1);
    second.cancel("never mind");
    expect(await second.finished).toMatchObject({ status: "cancelled", error: { code: "cancelled", message: expect.stringContaining("never mind") } });
    posting.open();
    expect(await first.finished).toMatchObject({ status: "completed" });
    expect(JSON.stringify(engine.messages(runtime.sessionId))).not.toContain("second");
  });

  it("leaves a turn that is over as it is, and one of another runtime alone", async () => {
    const { runtime } = await open({ script: { otherwise: { say: "hi" } } });
    const turn = runtime.send("go");
    const result = await turn.finished;
    turn.cancel();
    expect(await turn.finished).toBe(result);
    await runtime.close();
    expect(() => turn.cancel()).not.toThrow();
  });
});

describe("the signal of a message", () => {
  it("calls its turn off when it aborts, with its reason", async () => {
    const { one, started } = hanging();
    const { engine, runtime } = await open(oneCall("hang"), { tools: [one] });
    const stop = new AbortController();
    const turn = runtime.send("go", { signal: stop.signal });
    await started;
    stop.abort(new Error("left the page"));
    await turn.finished;
    expect(engine.calls(runtime.sessionId)[0]?.rendered).toContain("left the page");
  });

  it("that has aborted sends nothing, and the turn says so to whoever listens", async () => {
    const { engine, runtime, seen } = await open({}, {}, ["turn.finished"]);
    const turn = runtime.send("go", { signal: AbortSignal.abort(new Error("too late")) });
    expect(await turn.finished).toMatchObject({ status: "cancelled", text: "", error: { code: "cancelled", message: "too late" } });
    expect(seen).toMatchObject([{ type: "turn.finished", turnId: turn.id, status: "cancelled" }]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(engine.sessions()).toEqual([]);
  });

  it("that is none is refused, and leaves no turn behind", async () => {
    const finalizeArtifacts = vi.fn(() => ({}));
    const { engine, runtime } = await open({}, { finalizeArtifacts });
    for (const signal of [{}, 5, "stop"]) expect(() => runtime.send("go", { signal: signal as never })).toThrow(/signal/);
    await runtime.close();
    // Each turn that was open would have been ended now.
    expect(finalizeArtifacts).not.toHaveBeenCalled();
    expect(engine.sessions()).toEqual([]);
  });

  it("is let go of when the turn is over", async () => {
    const { runtime } = await open({ script: { otherwise: { say: "hi" } } });
    const stop = new AbortController();
    let listening = 0;
    const { addEventListener, removeEventListener } = stop.signal;
    stop.signal.addEventListener = (...args: unknown[]) => (listening++, (addEventListener as (...args: unknown[]) => void).apply(stop.signal, args));
    stop.signal.removeEventListener = (...args: unknown[]) => (listening--, (removeEventListener as (...args: unknown[]) => void).apply(stop.signal, args));
    await runtime.send("go", { signal: stop.signal }).finished;
    await Promise.resolve();
    expect(listening).toBe(0);
  });
});
