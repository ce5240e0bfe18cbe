/**
 * What the driver asks of JavaScript, and how it is answered from a runtime's options and tools.
 * Every method is called while no machine is borrowed, so user code may call back into the runtime.
 * A promise given here never rejects on purpose: what went wrong is part of the answer.
 */
import { checksOf, type Verdict } from "./checks.js";
import { messageOf } from "./errors.js";
import type { Issue } from "./errors.js";
import { labelOf } from "./invoke.js";
import type { ApprovalAnswer, Settled } from "./options.js";
import { type Numbers, parseOr } from "./parse.js";
import type { Registry } from "./registry.js";
import { toJsonText } from "./serialise.js";

/** A handler's end as the driver reads it: a string is the value's JSON text. @internal */
export type HandlerEnd =
  | string
  | { json: string; media: string }
  | { message: string; retryable: boolean; kind: "threw" | "unserialisable" | "declined" | "cancelled" };

/** The driver's counterpart. @internal */
export interface Host {
  fetch(request: Request): Promise<unknown>;
  token(refresh: boolean): Promise<string | undefined>;
  check(tool: string, direction: "input" | "output", text: string): Promise<string>;
  repair(tool: string, text: string, problem: string, issues: string): Promise<string | null>;
  consent(ask: string, signal: AbortSignal): Promise<string>;
  invoke(invocation: number, info: string, argumentsText: string, signal: AbortSignal): Promise<HandlerEnd>;
  events(batch: string): void;
  now(): number;
  panicked(message: string): void;
  /** Only where the configuration says that records are stored. */
  persist?(record: string): Promise<boolean>;
  forget?(key: string): Promise<void>;
}

/** What the host is made of. @internal */
export interface HostParts {
  readonly options: Settled;
  readonly numbers: Numbers;
  readonly registry: Registry;
  readonly now: () => number;
  /** Hears of a validator that threw, with what it threw. */
  readonly complain: (tool: string, cause: unknown) => void;
  readonly invoke: Host["invoke"];
  readonly events: Host["events"];
  readonly panicked: Host["panicked"];
}

/** Makes the host. @internal */
export function makeHost(parts: HostParts): Host {
  const { options, numbers, registry } = parts;
  return {
    // Async, so that a fetch or token callback that throws or gives no promise is a rejection like any other.
    fetch: async (request) => (options.fetch ?? globalThis.fetch)(request),
    token: async (refresh) => options.token?.({ refresh }),
    check: async (name, direction, text) => {
      const tool = registry.get(name);
      const gone: Verdict = { unavailable: `the tool "${name}" is not registered any more` };
      const verdict = tool ? await checksOf(tool).check(direction, text, numbers) : gone;
      if ("cause" in verdict) parts.complain(name, verdict.cause);
      return JSON.stringify("issues" in verdict ? { issues: verdict.issues } : verdict);
    },
    repair: async (name, text, problem, issues) => {
      const onInvalid = registry.get(name)?.onInvalid;
      if (typeof onInvalid !== "function") return null;
      try {
        const proposed: unknown = await onInvalid({ text, problem, issues: JSON.parse(issues) as Issue[] });
        return proposed === undefined ? null : toJsonText(proposed);
      } catch (error) {
        parts.complain(name, error);
        return null;
      }
    },
    consent: (ask, signal) => consent(parts, ask, signal),
    invoke: parts.invoke,
    events: parts.events,
    now: parts.now,
    panicked: parts.panicked,
  };
}

async function consent(parts: HostParts, asked: string, signal: AbortSignal): Promise<string> {
  const { options, numbers, registry } = parts;
  const ask = JSON.parse(asked) as { sessionId: string; callId: string; attempt: number; name: string; text: string };
  const tool = registry.get(ask.name);
  if (!tool) return decision(false);
  const input = parseOr(ask.text, numbers);
  if (typeof tool.approve === "function" && !(await needed(tool.approve, input))) return decision(true);
  if (!options.onApproval) return decision({ allow: false, reason: "nobody here can agree to it" });
  const { sessionId, callId, attempt } = ask;
  try {
    const action = labelOf(tool, input);
    return decision(await options.onApproval({ sessionId, callId, attempt, tool, input, action, signal }));
  } catch (error) {
    parts.complain(ask.name, error);
    return decision({ allow: false, reason: "the question could not be asked" });
  }
}

/** Whether the person must be asked. A function that cannot tell means yes. */
async function needed(approve: (input: unknown) => unknown, input: unknown): Promise<boolean> {
  try {
    return (await approve(input)) !== false;
  } catch {
    return true;
  }
}

/** Only a clear yes is one. */
function decision(answer: ApprovalAnswer): string {
  if (answer === true) return JSON.stringify({ allow: true });
  if (typeof answer !== "object" || answer === null) return JSON.stringify({ allow: false });
  if (answer.allow !== true) {
    const reason: unknown = answer.reason;
    return JSON.stringify(typeof reason === "string" ? { allow: false, reason } : { allow: false });
  }
  if (answer.input === undefined) return JSON.stringify({ allow: true });
  try {
    return JSON.stringify({ allow: true, text: toJsonText(answer.input) });
  } catch (error) {
    return JSON.stringify({ allow: false, reason: `the edited arguments cannot be used: ${messageOf(error)}` });
  }
}
