/**
 * What runs leave for the events that follow them. What cannot cross as JSON (artifacts, the thrown thing, the very
 * object that was returned) waits here for the call's terminal event.
 */
import type { Question } from "./ask/question.js";
import type { Emitter } from "./emitter.js";
import type { Issue } from "./errors.js";
import type { CallKey, ConsentReport, ForeignReport, ProgressEvent, RuntimeEvent, ToolReport } from "./events.js";
import type { HandlerEnd } from "./host.js";
import { cap } from "./lists.js";
import type { Settled } from "./options.js";
import type { Numbers } from "./parse.js";
import type { InvokeOptions } from "./runtime.js";
import type { Registry } from "./registry.js";
import type { RawRuntime } from "./wasm/machine.js";

/** What a run leaves for the events that follow it. @internal */
export interface Leftover {
  artifacts: Record<string, unknown>;
  /** The reports of what the handler itself ran. */
  children?: (ToolReport | ForeignReport)[];
  /** What it is doing, for people: asked for once. */
  action?: string | undefined;
  consent?: ConsentReport;
  /** Has a last look at what is sent. */
  finish?: (value: unknown, end: HandlerEnd) => Promise<HandlerEnd>;
  /** What the caller has to say in it, where the app makes the call. */
  caller?: InvokeOptions;
  value?: unknown;
  cause?: unknown;
}

/** Most leftovers kept; their events normally come within a moment. */
export const MAX_LEFTOVERS = 1_024;

/** Leftovers by call. @internal */
export class Stash {
  readonly #left = new Map<string, Leftover>();

  of(key: CallKey): Leftover {
    const id = idOf(key);
    let leftover = this.#left.get(id);
    if (!leftover) {
      this.#left.set(id, (leftover = { artifacts: {} }));
      cap(this.#left, MAX_LEFTOVERS);
    }
    return leftover;
  }

  /** What a validator threw, by the words it is told in: the machine knows no more of it. */
  ofValidator(name: string, [issue]: readonly Issue[]): CallKey {
    return { sessionId: name, callId: issue?.keyword === "validator" ? issue.message : "", attempt: -1 };
  }

  /** Takes a call's leftover out. */
  take(key: CallKey): Leftover | undefined {
    const id = idOf(key);
    const leftover = this.#left.get(id);
    this.#left.delete(id);
    return leftover;
  }
}

/** A call's key as text. @internal */
export function idOf(key: CallKey): string {
  return JSON.stringify([key.sessionId, key.callId, key.attempt]);
}

/** What a run needs to know of the runtime around it. @internal */
export interface RunParts {
  readonly registry: Registry;
  readonly numbers: Numbers;
  readonly dispatcher: { readonly stash: Stash; readonly emitter: Emitter<RuntimeEvent>; after(key: CallKey, run: () => unknown): void };
  readonly progressed: (invocation: number, event: ProgressEvent) => void;
  readonly options: Settled;
  /** Those that are open. */
  readonly questions: Set<Question>;
  /** Asks something of the machine, if it lives. */
  readonly call: (run: (raw: RawRuntime) => void) => void;
}
