/**
 * Runs handlers for the driver and makes of their end what the driver reads.
 * What cannot cross as JSON (artifacts, the thrown thing, the very object that was returned) waits in
 * the stash for the call's terminal event.
 */
import { checksOf } from "./checks.js";
import { PagehandError, ToolExecutionError, messageOf } from "./errors.js";
import type { CallKey, ProgressEvent } from "./events.js";
import type { HandlerEnd, Host } from "./host.js";
import { execute } from "./invoke.js";
import type { Numbers } from "./parse.js";
import type { Registry } from "./registry.js";
import { Unserialisable, serialise } from "./serialise.js";
import type { ToolContext } from "./tool.js";

/** What a run leaves for the events that follow it. @internal */
export interface Leftover {
  artifacts: Record<string, unknown>;
  value?: unknown;
  cause?: unknown;
}

/** Most leftovers kept; their events normally come within a moment. */
const MAX_LEFTOVERS = 1_024;

/** Leftovers by call. @internal */
export class Stash {
  readonly #left = new Map<string, Leftover>();

  of(key: CallKey): Leftover {
    const id = idOf(key);
    let leftover = this.#left.get(id);
    if (!leftover) {
      this.#left.set(id, (leftover = { artifacts: {} }));
      const oldest = this.#left.keys().next().value;
      if (this.#left.size > MAX_LEFTOVERS && oldest !== undefined) this.#left.delete(oldest);
    }
    return leftover;
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
  readonly dispatcher: { readonly stash: Stash; after(key: CallKey, run: () => unknown): void };
  readonly progressed: (invocation: number, event: ProgressEvent) => void;
}

/** Runs a handler, given what the driver's {@link Host} gets. Never rejects. @internal */
export async function runHandler(parts: RunParts, ...given: Parameters<Host["invoke"]>): Promise<HandlerEnd> {
  const [invocation, sessionId, callId, attempt, turnId, name, deadline, tripIndex, argumentsText, signal] = given;
  const tool = parts.registry.get(name);
  if (!tool) return { message: `the tool "${name}" is gone`, retryable: false, kind: "cancelled" };
  const key = { sessionId, callId, attempt };
  const leftover = parts.dispatcher.stash.of(key);
  const context: ToolContext = {
    artifacts: leftover.artifacts,
    signal,
    callId,
    attempt,
    deadline,
    sessionId,
    turnId,
    progress: (value) => {
      if (signal.aborted) return;
      parts.progressed(invocation, { type: "tool.progress", ...key, turnId: turnId ?? null, name, value });
    },
    after: (run) => {
      if (!signal.aborted) parts.dispatcher.after(key, run);
    },
  };
  try {
    const input = await checksOf(tool).input(argumentsText, parts.numbers);
    const value = await execute(tool, input, context, tripIndex);
    leftover.value = value;
    const { json, media } = await serialise(value);
    return media === undefined ? json : { json, media };
  } catch (thrown) {
    leftover.cause = thrown;
    return failure(thrown, signal);
  }
}

function failure(thrown: unknown, signal: AbortSignal): HandlerEnd {
  if (thrown instanceof Unserialisable) return { message: thrown.message, retryable: false, kind: "unserialisable" };
  const cause = thrown instanceof ToolExecutionError ? (thrown.cause ?? thrown) : thrown;
  const declined = cause instanceof PagehandError && cause.code === "declined";
  const kind = signal.aborted ? "cancelled" : declined ? "declined" : "threw";
  return { message: messageOf(cause), retryable: isRetryable(cause), kind };
}

/** A handler says by a property of what it throws that another attempt may help. */
function isRetryable(cause: unknown): boolean {
  try {
    return (cause as { retryable?: unknown } | null | undefined)?.retryable === true;
  } catch {
    return false;
  }
}
