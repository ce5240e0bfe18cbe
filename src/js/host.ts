/**
 * What the driver asks of JavaScript, and how it is answered from a runtime's options and tools.
 * Every method is called while no machine is borrowed, so user code may call back into the runtime.
 * A promise given here never rejects on purpose: what went wrong is part of the answer.
 */
import { checksOf, type Verdict } from "./checks.js";
import { messageOf } from "./errors.js";
import type { Issue } from "./errors.js";
import { given } from "./given.js";
import type { RunParts } from "./stash.js";
import type { FlatRecord, Written } from "./store.js";

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
  /** Lets the page do whatever else waits. */
  rest(): Promise<unknown>;
  now(): number;
  panicked(message: string): void;
  /** These four come with the session's life: before it is there, the machine only watches. */
  persist?(record: string): Promise<Written>;
  retire?(sessionId: string, callId: string, attempt: number): Promise<void>;
  /** Takes the store over for the session of a child agent, and gives the records that are there. */
  adopt?(sessionId: string): Promise<FlatRecord[]>;
  claim?(): void;
}

/** What the host is made of. @internal */
export interface HostParts extends RunParts {
  readonly now: () => number;
  /** Until when a yes covers calls, by session and tool. */
  readonly grants: Map<string, number>;
  /** Hears of a callback of a tool that threw, with what it threw; of a validator, with what is said of it. */
  readonly complain: (tool: string, cause: unknown, issues?: readonly Issue[]) => void;
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
      if ("cause" in verdict) parts.complain(name, verdict.cause, verdict.issues);
      return verdict;
    },
    repair: async (name, text, problem, issues) => {
      const onInvalid = registry.get(name)?.onInvalid;
      if (typeof onInvalid !== "function") return null;
      try {
        const proposed: unknown = await onInvalid({ text, problem, issues: JSON.parse(issues) as Issue[] });
        return proposed === undefined ? null : (await import("./serialise.js")).toJsonText(proposed, messageOf);
      } catch (error) {
        parts.complain(name, error);
        return null;
      }
    },
    consent: async (sessionId, callId, attempt, name, text, signal) => {
      try {
        const { askConsent } = await import("./consent.js");
        return await askConsent(given, parts, { sessionId, callId, attempt }, name, text, signal);
      } catch (error) {
        return { allow: false, reason: `the question could not be asked: ${messageOf(error)}` };
      }
    },
    invoke: parts.invoke,
    events: parts.events,
    // Not by a timer: one that is asked for again and again waits four milliseconds, and a second in the background.
    rest: () =>
      new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(port1.close());
        port2.postMessage(0);
      }),
    now: parts.now,
    panicked: parts.panicked,
  };
}
