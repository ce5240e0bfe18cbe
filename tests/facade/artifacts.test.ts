/** What tools put aside for the page: one bag of a turn, and who makes it. */
import { describe, expect, it, vi } from "vitest";
import { type Artifacts, type RuntimeEvent, type RuntimeOptions, type Turn, tool } from "pagehand";
import { gate, open } from "./page.ts";

const put = (name: string, bag: Artifacts, wait?: Promise<unknown>) =>
  tool({
    name,
    execute: async (_input, ctx) => {
      await wait;
      Object.assign(ctx.artifacts, bag);
      return name;
    },
  });

const twoCalls = { script: { replies: [{ call: [{ name: "slow" }, { name: "fast" }] }, { call: [{ name: "last" }] }], otherwise: { say: "ok" } } };

async function twoTrips(options: Partial<RuntimeOptions> = {}, kinds: RuntimeEvent["type"][] = ["warning", "turn.finished"]) {
  const first = gate();
  const page = await open(
    twoCalls,
    {
      tools: [put("slow", { who: "slow", slow: 1 }, first.promise), put("fast", { who: "fast", fast: 1 }), put("last", { last: 1 })],
      ...options,
    },
    kinds,
  );
  page.runtime.on("agent.tool.called", ({ name }) => {
    if (name === "fast") first.open();
  });
  return page;
}

describe("the bag of a turn", () => {
  it("has what all its calls put aside; what ended later wins", async () => {
    const { engine, runtime, seen } = await twoTrips();
    const turn = runtime.send("go");
    expect(turn.artifacts).toEqual({});
    const soFar: unknown[] = [];
    turn.on("agent.tool.called", () => soFar.push(turn.artifacts));
    const result = await turn.finished;
    const whole = { who: "slow", slow: 1, fast: 1, last: 1 };
    expect(soFar).toEqual([{ who: "fast", fast: 1 }, { who: "slow", slow: 1, fast: 1 }, whole]);
    expect(result.artifacts).toEqual(whole);
    expect(result.report.artifacts).toBe(result.artifacts);
    expect(turn.artifacts).toBe(result.artifacts);
    expect(seen.at(-1)).toMatchObject({ type: "turn.finished", artifacts: whole });
    expect(result.report.children).toMatchObject([{ artifacts: { slow: 1 } }, { artifacts: { fast: 1 } }, { artifacts: { last: 1 } }].sort(() => 0).map(() => ({ artifacts: expect.anything() })));
    expect(JSON.stringify(engine.log(runtime.sessionId))).not.toContain('"who"');
  });

  it("is its own turn's alone", async () => {
    const { runtime } = await open(
      { script: { rules: [{ when: { user: "first", after: "nothing" }, say: "never" }], replies: [{ call: [{ name: "a" }] }, { say: "one" }, { call: [{ name: "b" }] }], otherwise: { say: "two" } } },
      { tools: [put("a", { a: 1 }), put("b", { b: 1 })] },
    );
    expect((await runtime.send("first").finished).artifacts).toEqual({ a: 1 });
    expect((await runtime.send("second").finished).artifacts).toEqual({ b: 1 });
  });

  it("is what the author's function makes of the calls' bags, in the order they ended", async () => {
    const finalizeArtifacts = vi.fn((bags: readonly Artifacts[], turn: Turn) => ({ names: bags.flatMap((bag) => Object.keys(bag)), turn: turn.id }));
    const { runtime } = await twoTrips({ finalizeArtifacts });
    const turn = runtime.send("go");
    const { artifacts, report } = await turn.finished;
    expect(finalizeArtifacts).toHaveBeenCalledOnce();
    expect(artifacts).toEqual({ names: ["who", "fast", "who", "slow", "last"], turn: turn.id });
    expect(report.artifacts).toBe(artifacts);
  });

  it.each<[string, () => unknown]>([
    ["throws", () => { throw new Error("cannot merge"); }],
    ["gives nothing", () => undefined],
    ["gives a text", () => "merged"],
    ["gives a promise", async () => ({ late: true })],
  ])("is the plain one, with a warning, if that function %s", async (_name, finalize) => {
    const { runtime, seen } = await twoTrips({ finalizeArtifacts: finalize as never });
    expect((await runtime.send("go").finished).artifacts).toEqual({ who: "slow", slow: 1, fast: 1, last: 1 });
    expect(seen.filter((event) => event.type === "warning")).toMatchObject([{ code: "invalid-options", message: expect.stringMatching(/finalizeArtifacts.*later writes win/) }]);
  });

  it("has what a failed call put aside before it failed", async () => {
    const { runtime } = await open(
      { script: { replies: [{ call: [{ name: "t" }] }], otherwise: { say: "ok" } } },
      { tools: [tool({ name: "t", execute: (_input, ctx) => { ctx.artifacts.step = 1; throw new Error("step 2"); } })] },
    );
    const { artifacts, report } = await runtime.send("go").finished;
    expect(artifacts).toEqual({ step: 1 });
    expect(report.children).toMatchObject([{ status: "failed", artifacts: { step: 1 } }]);
  });

  it("takes any key as a key", async () => {
    const bag = JSON.parse('{"__proto__":{"evil":1},"constructor":2}') as Artifacts;
    const put = tool({ name: "t", execute: (_input, ctx) => { for (const [key, value] of Object.entries(bag)) Object.defineProperty(ctx.artifacts, key, { value, enumerable: true }); } });
    const { runtime } = await open({ script: { replies: [{ call: [{ name: "t" }] }], otherwise: { say: "ok" } } }, { tools: [put] });
    const { artifacts } = await runtime.send("go").finished;
    expect(Object.getPrototypeOf(artifacts)).toBe(Object.prototype);
    expect(Object.entries(artifacts)).toEqual(Object.entries(bag));
  });

  it("is there when the runtime is closed in mid-turn", async () => {
    const held = gate();
    const { runtime } = await open(twoCalls, { tools: [put("fast", { fast: 1 }), put("slow", {}, held.promise)] });
    const turn = runtime.send("go");
    await new Promise<void>((resolve) => turn.on("agent.tool.called", () => resolve()));
    await runtime.close();
    expect(await turn.finished).toMatchObject({ status: "cancelled", artifacts: { fast: 1 } });
    held.open();
  });

  it("survives a bag that throws when it is read", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { runtime } = await open(
      { script: { replies: [{ call: [{ name: "bad" }] }, { call: [{ name: "good" }] }], otherwise: { say: "ok" } } },
      { tools: [
        tool({ name: "bad", execute: (_input, ctx) => void Object.defineProperty(ctx.artifacts, "trap", { enumerable: true, get: () => { throw new Error("no"); } }) }),
        put("good", { good: 1 }),
      ] },
    );
    expect((await runtime.send("go").finished).artifacts).toEqual({ good: 1 });
  });
});
