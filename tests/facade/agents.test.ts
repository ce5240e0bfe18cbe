/** Child agents: their calls are the page's too, and their reports are filled with what only the page knows. */
import { describe, expect, it, vi } from "vitest";
import { Dispatcher } from "../../src/js/dispatch.ts";
import type { AgentReport, RuntimeEvent, ToolReport } from "../../src/js/events.ts";
import { Registry } from "../../src/js/registry.ts";
import { tool } from "../../src/js/tool.ts";
import { Turn } from "../../src/js/turn.ts";
import { tool as declared } from "pagehand";
import { open } from "./page.ts";

// Nothing here is compiled, and the sources have no WASM beside them.
vi.mock("../../src/js/files.ts", () => ({ schemaKit: {} }));
vi.mock("../../src/js/machines.ts", () => ({ machinesOf: undefined }));

const key = (sessionId: string, callId: string) => ({ sessionId, callId, attempt: 0 });
const report = (sessionId: string, callId: string): ToolReport => ({
  type: "tool",
  name: "t",
  ...key(sessionId, callId),
  turnId: `turn of ${sessionId}`,
  tripIndex: 0,
  input: {},
  output: callId,
  status: "completed",
  startedAt: 1,
  endedAt: 2,
  duration: 1,
  checks: { issues: [] },
});
const agent = (sessionId: string, children: AgentReport["children"]): AgentReport => ({
  type: "agent",
  sessionId,
  turnId: `turn of ${sessionId}`,
  tripIndex: 0,
  status: "completed",
  startedAt: 1,
  endedAt: 2,
  duration: 1,
  children,
});

function page() {
  const registry = new Registry();
  registry.hold(tool({ name: "t", execute: () => 1 }), () => undefined, () => undefined);
  const finalize = vi.fn((bags: readonly object[]) => Object.assign({}, ...bags) as Record<string, unknown>);
  const dispatcher = new Dispatcher(registry, "exact", () => undefined, finalize);
  const turn = new Turn("turn of root", "root", { now: () => 0, artifacts: (id) => dispatcher.artifacts(id), interrupts: () => [], cancel: () => undefined });
  /** Runs a call as a handler would, and tells its end. */
  const ran = (sessionId: string, callId: string, artifacts: object, children: ToolReport[] = []) => {
    Object.assign(dispatcher.stash.of(key(sessionId, callId)), { artifacts, children });
    dispatcher.emit({ ...report(sessionId, callId), type: "agent.tool.called", tool: { name: "t" } } as RuntimeEvent);
  };
  return { dispatcher, turn, finalize, ran };
}

describe("a turn with child agents", () => {
  it("has the artifacts of their calls, however deep, in the order the calls ended", async () => {
    const { dispatcher, turn, finalize, ran } = page();
    dispatcher.follow(turn);
    ran("grandchild", "3", { who: "grandchild", deep: 1 });
    ran("root", "1", { who: "root" });
    ran("child", "2", { who: "child" }, [report("inner", "9")]);
    ran("stranger", "4", { who: "stranger" });
    expect(turn.artifacts).toEqual({ who: "root" });
    const children = [report("root", "1"), agent("child", [report("child", "2"), agent("grandchild", [report("grandchild", "3")])])];
    dispatcher.emit({ type: "turn.finished", turnId: "turn of root", status: "completed", text: "", children });
    const { artifacts, report: told } = await turn.finished;
    expect(finalize.mock.calls[0]?.[0]).toEqual([{ who: "grandchild", deep: 1 }, { who: "root" }, { who: "child" }]);
    expect(artifacts).toEqual({ who: "child", deep: 1 });
    expect(told.children).toMatchObject([
      { type: "tool", artifacts: { who: "root" } },
      {
        type: "agent",
        sessionId: "child",
        children: [
          { type: "tool", artifacts: { who: "child" }, children: [{ callId: "9" }] },
          { type: "agent", children: [{ type: "tool", artifacts: { deep: 1 } }] },
        ],
      },
    ]);
  });

  it("keeps nothing when no turn is open", async () => {
    const { dispatcher, turn, ran } = page();
    ran("child", "2", { who: "child" });
    dispatcher.follow(turn);
    dispatcher.emit({ type: "turn.finished", turnId: "turn of root", status: "completed", text: "", children: [agent("child", [report("child", "2")])] });
    expect((await turn.finished).artifacts).toEqual({});
  });
});

it("the calls of a child agent run here, and its report and artifacts are the turn's", async () => {
  const readPage = declared({
    name: "read_page",
    execute: (_input, ctx) => {
      ctx.artifacts.readIn = ctx.sessionId;
      return "snow";
    },
  });
  const ask = declared({ name: "ask", execute: (_input, ctx) => void (ctx.artifacts.asked = true) });
  const { engine, runtime } = await open(
    {
      agent: { tools: [{ name: "ask", handler: "client" }], subagents: [{ id: "poet" }] },
      agents: {
        poet: {
          tools: [{ name: "read_page", handler: "client" }],
          script: { rules: [{ when: { user: "*" }, call: [{ name: "read_page" }] }, { when: { after: "read_page" }, say: "Of {{result}}" }] },
        },
      },
      script: {
        rules: [
          { when: { user: "*" }, call: [{ name: "ask" }] },
          { when: { after: "ask" }, call: [{ name: "poet", arguments: { message: "rain" } }] },
          { when: { after: "poet" }, say: "done" },
        ],
      },
    },
    { tools: [readPage, ask] },
  );
  const result = await runtime.send("go").finished;
  const child = engine.children(runtime.sessionId)[0]?.sessionId;
  expect(result).toMatchObject({ status: "completed", text: "done", artifacts: { asked: true, readIn: child } });
  expect(result.report.children).toMatchObject([
    { type: "tool", name: "ask", artifacts: { asked: true } },
    { type: "agent", name: "poet", sessionId: child, status: "completed", children: [{ type: "tool", name: "read_page", output: "snow", artifacts: { readIn: child } }] },
  ]);
  expect(child).toBeTruthy();
});
