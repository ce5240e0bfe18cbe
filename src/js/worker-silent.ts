/**
 * Ends a turn whose model reply called silent tools alone. A page answers a silent tool's call like any other, so
 * the engine would ask the model again with nothing but acknowledgements to go by; the worker is who can stop that.
 * Stateless: everything is read from the request.
 */
import type { DecisionRequest, DecisionResponse, Decide } from "./worker-types.js";

/**
 * Which tools are silent: names, tools of which those with `mode: "silent"` count (a whole list of mixed tools may be
 * given), or a function of the name.
 */
export type Silent =
  | readonly (string | { readonly name: string; readonly mode?: "feedback" | "silent" | undefined })[]
  | ((name: string) => boolean);

/** Takes whatever the engine proposes: the worker of those who need none of their own. */
export const acceptProposals: Decide = ({ proposed }) => proposed;

/**
 * A worker that does as `decide` does, and ends the turn when the last call of an all-silent reply has ended: the
 * outcome is recorded and the model is not asked again, not even about a call that failed. A reply with any other tool
 * in it goes on as ever.
 *
 * An answer is changed only if its messages and actions are those proposed. Whatever else `decide` puts into it
 * (`state`, `agent`, `channels`) is kept, and an answer it thought of itself is left alone.
 */
export function endSilentTurns(decide: Decide, options: { readonly silent: Silent }): Decide {
  const isSilent = predicate(options.silent);
  return async (request) => {
    // Looked at before `decide` has it: whoever changes a proposal in place has thought of an answer too.
    if (!endsSilently(request, isSilent)) return decide(request);
    const proposed = structuredClone(request.proposed);
    const answer = await decide(request);
    return isProposal(answer, proposed) ? { ...answer, actions: [{ type: "done" }] } : answer;
  };
}

function predicate(silent: Silent): (name: string) => boolean {
  if (typeof silent === "function") return silent;
  const names = new Set(silent.flatMap((each) => (typeof each === "string" ? each : each.mode === "silent" ? each.name : [])));
  return (name) => names.has(name);
}

function endsSilently({ trigger, messages, calls, proposed }: DecisionRequest, isSilent: (name: string) => boolean): boolean {
  // Without a proposed action the engine holds: a sibling is on its way, if not in the list of calls.
  if (trigger.type !== "tool.finished" || !proposed.actions?.length) return false;
  const reply = messages.filter(({ role }) => role === "assistant").at(-1)?.tool_calls ?? [];
  if (!reply.some(({ id }) => id === trigger.id)) return false;
  const answered = new Set([...messages, ...(proposed.messages ?? [])].map((message) => message.tool_call_id));
  const open = new Set(calls.filter(({ status }) => status !== "completed" && status !== "failed").map(({ id }) => id));
  return reply.every(({ id, function: { name } }) => isSilent(name) && answered.has(id) && !open.has(id));
}

function isProposal(answer: DecisionResponse, proposed: DecisionResponse): boolean {
  return equal(answer.messages ?? [], proposed.messages ?? []) && equal(answer.actions ?? [], proposed.actions ?? []);
}

/** Whether two JSON values say the same, in whatever order their keys are. */
function equal(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = definedKeys(one);
  return (
    keys.length === definedKeys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && equal((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]))
  );
}

/** Keys that would be in the JSON. */
function definedKeys(value: object): string[] {
  return Object.keys(value).filter((key) => (value as Record<string, unknown>)[key] !== undefined);
}
