/** The three events of a call, at the three places where they can be heard. */
import { describe, expect, it, vi } from "vitest";
import { type RuntimeEvent, tool } from "pagehand";
import { open } from "./page.ts";

/** What a tool, a runtime and a turn have in common. */
type Source = { on(kind: (typeof KINDS)[number], listener: (event: RuntimeEvent) => unknown): unknown };

const KINDS = ["agent.tool.calling", "agent.tool.called", "agent.tool.failed"] as const;
const script = { replies: [{ call: [{ name: "good", arguments: { n: 1 }, id: "call_1" }] }, { call: [{ name: "bad", arguments: { n: 2 }, id: "call_2" }] }], otherwise: { say: "ok" } };
const tools = () => [
  tool({ name: "good", description: "Does it", action: ({ n }) => `Doing ${String(n)}`, version: "3", execute: () => "done" }),
  tool({ name: "bad", description: "Fails", execute: () => { throw new Error("broken"); } }),
] as const;

/** The same events, whoever tells them. */
const expected = [
  { type: "agent.tool.calling", tool: { name: "good", description: "Does it", action: "Doing 1" }, input: { n: 1 }, tripIndex: 0, callId: "call_1", attempt: 0 },
  { type: "agent.tool.called", tool: { name: "good", description: "Does it", action: "Doing 1" }, name: "good", version: "3", input: { n: 1 }, output: "done", tripIndex: 0, status: "completed", duration: expect.any(Number), startedAt: expect.any(Number), endedAt: expect.any(Number) },
  { type: "agent.tool.calling", tool: { name: "bad", description: "Fails" }, input: { n: 2 }, tripIndex: 1 },
  { type: "agent.tool.failed", tool: { name: "bad", description: "Fails" }, name: "bad", input: { n: 2 }, tripIndex: 1, status: "failed", error: { name: "ToolExecutionError", code: "TOOL_EXEC_FAILED", message: "broken" } },
];

describe("calling, called and failed", () => {
  it("are told by the tool, by the runtime and by the turn, each if only it is listened to", async () => {
    for (const level of ["tool", "runtime", "turn"] as const) {
      const made = tools();
      const { runtime } = await open({ script }, { tools: made }, []);
      const heard: RuntimeEvent[] = [];
      const turn = runtime.send("go");
      const sources: Record<typeof level, readonly Source[]> = { tool: made, runtime: [runtime], turn: [turn] };
      for (const source of sources[level]) for (const kind of KINDS) source.on(kind, (event) => void heard.push(event));
      await turn.finished;
      expect([level, heard.length]).toEqual([level, 4]);
      expect(heard).toMatchObject(expected);
    }
  });

  it("do not stop at a listener that throws or rejects, and reach those of a later tick no more than they should", async () => {
    const complained = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const made = tools();
    const { runtime } = await open({ script }, { tools: made }, []);
    const heard: string[] = [];
    const turn = runtime.send("go");
    for (const kind of KINDS) {
      for (const source of [made[0], made[1], runtime, turn] as Source[]) {
        source.on(kind, () => {
          throw new Error("listener bug");
        });
        source.on(kind, async () => {
          throw new Error("async listener bug");
        });
      }
      runtime.on(kind, (event) => heard.push(event.type));
      turn.on(kind, (event) => heard.push(event.type));
    }
    expect(await turn.finished).toMatchObject({ status: "completed" });
    expect(heard.sort()).toEqual(["called", "called", "calling", "calling", "calling", "calling", "failed", "failed"].map((kind) => `agent.tool.${kind}`));
    expect(complained.mock.calls.length).toBe(4 * 3 * 2);
  });

  it("stop for a listener that let go, by its function or by a signal", async () => {
    const made = tools();
    const { runtime } = await open({ script }, { tools: made }, []);
    const controller = new AbortController();
    const heard: string[] = [];
    const turn = runtime.send("go");
    const off = turn.on("agent.tool.calling", () => {
      heard.push("once");
      off();
    });
    made[1].on("agent.tool.calling", () => heard.push("never"), { signal: controller.signal });
    runtime.on("agent.tool.called", () => controller.abort());
    await turn.finished;
    expect(heard).toEqual(["once"]);
  });

  it("of arguments that were refused have no label that would need them", async () => {
    const action = vi.fn(({ n }: { n: number }) => `Doing ${n.toFixed()}`);
    const { runtime, seen } = await open(
      { script: { replies: [{ call: [{ name: "strict", arguments: { n: "x" } }] }], otherwise: { say: "ok" } } },
      { tools: [tool({ name: "strict", input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] }, action, execute: () => 1 })] },
      [...KINDS],
    );
    await runtime.send("go").finished;
    expect(seen).toMatchObject([{ type: "agent.tool.failed", error: { name: "SchemaValidationError", category: "schema", issues: [{ path: "/n" }] }, input: { n: "x" } }]);
    expect("action" in (seen[0] as { tool: object }).tool).toBe(false);
    expect(action).not.toHaveBeenCalled();
  });
});
