/** What a session waits for, and how the page resumes it. */
import { describe, expect, it } from "vitest";
import type { TestEngineOptions } from "pagehand/testing";
import { tool } from "pagehand";
import { oneCall, open } from "./page.ts";

const asking: TestEngineOptions = {
  script: {
    replies: [{ say: "Shall I?", interrupt: { id: "confirm", reason: "approval", payload: { sum: 2512292042121000000 }, clientMayResume: true } }],
    otherwise: { say: "Done." },
  },
};
const KINDS = ["interrupt", "interrupt.resumed", "interrupt.refused"] as const;

describe("an interrupt", () => {
  it("is told, listed and resumed, and the turn goes on", async () => {
    const { runtime, seen } = await open(asking, {}, [...KINDS]);
    const turn = runtime.send("pay");
    const onTurn: string[] = [];
    for (const kind of KINDS) turn.on(kind, (event: { type: string }) => onTurn.push(event.type));
    await expect.poll(() => runtime.interrupts).toMatchObject([{ sessionId: runtime.sessionId, interruptId: "confirm", turnId: turn.id, reason: "approval" }]);
    expect(turn.interrupts).toEqual(runtime.interrupts);
    expect(seen).toMatchObject([{ type: "interrupt", sessionId: runtime.sessionId, interruptId: "confirm", turnId: turn.id, reason: "approval", payload: { sum: 2512292042121000000n } }]);
    expect(await runtime.resume("confirm", { agreed: true })).toEqual({});
    expect(await turn.finished).toMatchObject({ status: "completed", text: "Shall I?" });
    expect(runtime.interrupts).toEqual([]);
    expect(turn.interrupts).toEqual([]);
    expect(seen.at(-1)).toMatchObject({ type: "interrupt.resumed", interruptId: "confirm", turnId: turn.id, payload: { agreed: true } });
    expect(onTurn).toEqual(["interrupt", "interrupt.resumed"]);
  });

  it("may be resumed without a payload, by whoever comes first: all who asked hear of it", async () => {
    const { engine, runtime } = await open(asking);
    const turn = runtime.send("pay");
    await expect.poll(() => runtime.interrupts.length).toBe(1);
    expect(await Promise.all([runtime.resume("confirm"), runtime.resume("confirm")])).toEqual([{}, {}]);
    await turn.finished;
    expect(engine.log(runtime.sessionId).filter((event) => event.payload.type === "session.interrupt_resumed")).toHaveLength(1);
  });

  it("that is not there is refused, with a reason", async () => {
    const { runtime, seen } = await open(oneCall("t"), { tools: [tool({ name: "t", execute: () => 1 })] }, [...KINDS]);
    await runtime.send("go").finished;
    const { error } = await runtime.resume("nothing");
    expect(error).toMatchObject({ name: "PagehandError", code: expect.any(String), message: expect.any(String) });
    expect(seen).toMatchObject([{ type: "interrupt.refused", interruptId: "nothing", error: { code: error?.code } }]);
  });

  it("is there for a page that comes later, once it has read what happened", async () => {
    const { engine, runtime } = await open(asking, { session: "shared" });
    runtime.send("pay");
    await expect.poll(() => runtime.interrupts.length).toBe(1);
    await runtime.close();
    const later = await open({}, { engine: engine.url, fetch: engine.fetch, token: () => engine.token(), session: "shared" }, [...KINDS]);
    await expect.poll(() => later.seen).toMatchObject([{ type: "interrupt", interruptId: "confirm", reason: "approval" }]);
    expect(await later.runtime.resume("confirm", "go on")).toEqual({});
    await later.runtime.close();
  });
});

describe("runtime.resume", () => {
  it.each<[string, unknown, unknown]>([
    ["no id", undefined, undefined],
    ["an id that is none", 7, undefined],
    ["a payload that has no JSON form", "confirm", () => 1],
  ])("with %s resolves to an error, and nothing is sent", async (_name, id, payload) => {
    const { runtime } = await open({});
    expect(await runtime.resume(id as string, payload)).toMatchObject({ error: { code: "invalid-options" } });
  });

  it("ends with an error when the runtime is closed, and rejects from then on", async () => {
    const { runtime } = await open({ ...asking, faults: [{ kind: "loseRequest", times: 100 }] });
    const waiting = runtime.resume("confirm", {});
    await runtime.close();
    expect(await waiting).toMatchObject({ error: { code: "closed" } });
    await expect(runtime.resume("confirm")).rejects.toMatchObject({ code: "closed" });
  });
});
