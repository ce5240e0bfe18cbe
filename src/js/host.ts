/**
 * What the driver asks of JavaScript, and how it is answered from a runtime's options and tools.
 * Every method is called while no machine is borrowed, so user code may call back into the runtime.
 * A promise given here never rejects on purpose: what went wrong is part of the answer.
 */
import { checksOf, type Verdict } from "./checks.js";
import { messageOf } from "./errors.js";
import type { Issue } from "./errors.js";
import type { CallKey } from "./events.js";
import { labelOf } from "./invoke.js";
import type { ApprovalAnswer, Settled } from "./options.js";
import { type Numbers, parseOr } from "./parse.js";
import type { Registry } from "./registry.js";
import { toJsonText } from "./serialise.js";
import type { Written } from "./store.js";

/** A handler's end as the driver reads it: a string is the value's JSON text. @internal */
export type HandlerEnd =
  | string
  | { json: string; media: string }
  | { message: string; retryable: boolean; kind: "threw" | "unserialisable" | "declined" | "cancelled" };

/** What a person said, as the driver reads it. @internal */
export interface Consent {
  allow: boolean;
  /** Other arguments, as JSON text. */
  text?: string;
  reason?: string;
}

/** The driver's counterpart. @internal */
export interface Host {
  /** Sends a request; `size` is that of its body, in bytes. */
  fetch(request: Request, size?: number): Promise<unknown>;
  token(refresh: boolean): Promise<string | undefined>;
  check(tool: string, direction: "input" | "output", text: string): Promise<Verdict>;
  repair(tool: string, text: string, problem: string, issues: string): Promise<string | null>;
  consent(sessionId: string, callId: string, attempt: number, name: string, text: string, signal: AbortSignal): Promise<Consent>;
  invoke(
    invocation: number,
    sessionId: string,
    callId: string,
    attempt: number,
    turnId: string | undefined,
    name: string,
    deadline: number | undefined,
    tripIndex: number,
    argumentsText: string,
    signal: AbortSignal,
  ): Promise<HandlerEnd>;
  events(batch: string): void;
  now(): number;
  panicked(message: string): void;
  /** These three come with the session's life: before it is there, the machine only watches. */
  persist?(record: string): Promise<Written>;
  retire?(sessionId: string, callId: string, attempt: number): Promise<void>;
  claim?(): void;
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
      return verdict;
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
    consent: (sessionId, callId, attempt, name, text, signal) => consent(parts, { sessionId, callId, attempt }, name, text, signal),
    invoke: parts.invoke,
    events: parts.events,
    now: parts.now,
    panicked: parts.panicked,
  };
}

async function consent(parts: HostParts, key: CallKey, name: string, text: string, signal: AbortSignal): Promise<Consent> {
  const { options, numbers, registry } = parts;
  const tool = registry.get(name);
  if (!tool) return decision(false);
  const input = parseOr(text, numbers);
  if (typeof tool.approve === "function" && !(await needed(tool.approve, input))) return decision(true);
  if (!options.onApproval) return decision({ allow: false, reason: "nobody here can agree to it" });
  try {
    const action = labelOf(tool, input);
    return decision(await options.onApproval({ ...key, tool, input, action, signal }));
  } catch (error) {
    parts.complain(name, error);
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
function decision(answer: ApprovalAnswer): Consent {
  if (answer === true) return { allow: true };
  if (typeof answer !== "object" || answer === null) return { allow: false };
  if (answer.allow !== true) {
    const reason: unknown = answer.reason;
    return typeof reason === "string" ? { allow: false, reason } : { allow: false };
  }
  if (answer.input === undefined) return { allow: true };
  try {
    return { allow: true, text: toJsonText(answer.input) };
  } catch (error) {
    return { allow: false, reason: `the edited arguments cannot be used: ${messageOf(error)}` };
  }
}
