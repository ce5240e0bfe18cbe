/**
 * The worker's surface: requests, triggers, answers, and what its functions take.
 */
import { tool } from "pagehand";
import { createTestEngine } from "pagehand/testing";
import {
  type Action,
  type AgentTool,
  type Decide,
  type DecisionRequest,
  type DecisionResponse,
  type ToolInput,
  acceptProposals,
  declare,
  endSilentTurns,
  serveDecisions,
  verifySignature,
} from "pagehand/worker";
import type { Equal, Expect } from "./equal.js";

const track = tool({ name: "track", mode: "silent", input: { type: "object" }, execute: ({ x }) => x });

const decide: Decide = async ({ trigger, proposed, state, agent }) => {
  switch (trigger.type) {
    case "session.start":
      return { agent: { model: "m", ...proposed.agent, tools: declare([track]) } };
    case "tool.execute": {
      type _ = [Expect<Equal<typeof trigger.input, ToolInput>>, Expect<Equal<typeof trigger.attempt, number>>];
      if (trigger.input.status !== "valid") return { actions: [{ type: "tool.error", error: trigger.input.error }] };
      return { actions: [{ type: "tool.result", result: trigger.input.value }], state: [state] };
    }
    default:
      return agent === null ? {} : proposed;
  }
};

async function use(request: DecisionRequest) {
  type _ = [
    Expect<Equal<ReturnType<typeof declare>, AgentTool[]>>,
    Expect<Equal<Awaited<ReturnType<typeof decide>>, DecisionResponse>>,
    Expect<Equal<NonNullable<DecisionResponse["actions"]>[number], Action>>,
  ];
  const refused: Action[] = [
    // @ts-expect-error no such action
    { type: "fly" },
    // @ts-expect-error an error has a text
    { type: "tool.error" },
  ];
  // @ts-expect-error this trigger has no input
  if (request.trigger.type === "turn.finished") refused.push({ type: "done", data: request.trigger.input });
  const silent = endSilentTurns(decide, { silent: [track, "note"] });
  endSilentTurns(acceptProposals, { silent: (name) => name.startsWith("track") });
  // @ts-expect-error which tools are silent must be said
  endSilentTurns(decide);
  await silent(request);
  const verified: boolean = await verifySignature(new Uint8Array(), null, "s");
  const fetch: (request: Request) => Promise<Response> = serveDecisions(silent, { secret: "s" });
  await createTestEngine({ worker: silent, workerTimeoutMs: 1_000 });
  await createTestEngine({ worker: { url: new URL("https://worker.example"), secret: "s" } });
  // @ts-expect-error an address needs a url
  await createTestEngine({ worker: { secret: "s" } });
  return [verified, fetch];
}

export { use };
