/**
 * Runs handlers for the driver and makes of their end what the driver reads. Fetched beside the runtime, and awaited
 * by the first call; whatever it needs of the first load it is {@link Given}.
 */
import type { Given } from "./given.js";
import type { HandlerEnd, Host } from "./host.js";
import { calledOff, unlessCalledOff } from "./called-off.js";
import { Unserialisable, serialise } from "./serialise.js";
import type { RunParts } from "./stash.js";
import type { ToolContext } from "./tool.js";

/** Runs a handler, as the driver's {@link Host} is asked to. Never rejects. @internal */
export async function runHandler(given: Given, parts: RunParts, ...run: Parameters<Host["invoke"]>): Promise<HandlerEnd> {
  const [, sessionId, callId, attempt, , , , , , signal] = run;
  const leftover = parts.dispatcher.stash.of({ sessionId, callId, attempt });
  const end = (): HandlerEnd => {
    leftover.cause = leftover.caller?.signal?.reason;
    return { message: calledOff, retryable: false, kind: "cancelled" };
  };
  return unlessCalledOff(leftover.caller?.signal, signal, end, (either) => handle(given, parts, ...([...run.slice(0, -1), either] as typeof run)));
}

async function handle(given: Given, parts: RunParts, ...run: Parameters<Host["invoke"]>): Promise<HandlerEnd> {
  const [invocation, sessionId, callId, attempt, turnId, name, deadline, , argumentsText, signal] = run;
  const tool = parts.registry.get(name);
  if (!tool) return { message: `the tool "${name}" is gone`, retryable: false, kind: "cancelled" };
  const key = { sessionId, callId, attempt };
  const leftover = parts.dispatcher.stash.of(key);
  leftover.children = [];
  const asks = async (form: boolean, request: unknown): Promise<never> => (await import("./ask/within.js")).askInCall(given, parts, run, form, request) as never;
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
    ask: (request) => asks(true, request),
    confirm: (request) => asks(false, request),
    after: (run) => {
      if (signal.aborted) return;
      const { caller } = leftover;
      // What was called off has no answer that anything could follow.
      const ours = () => (caller?.signal?.aborted ? undefined : caller?.later ? caller.later(run) : run());
      parts.dispatcher.after(key, caller ? ours : run);
    },
  };
  given.nested.set(context, leftover.children);
  try {
    const input = await given.checksOf(tool).input(argumentsText, parts.numbers);
    if (!("action" in leftover)) leftover.action = given.labelOf(tool, input);
    await wait(parts, invocation, leftover.caller?.before);
    // Its end has been told already.
    if (leftover.caller?.signal?.aborted) throw leftover.caller.signal.reason;
    const value = await tool.execute(input, context);
    leftover.value = value;
    const result = await serialise(value, given.messageOf);
    leftover.caller?.sent?.(result);
    const { json, media } = result;
    const end = media === undefined ? json : { json, media };
    return (await leftover.finish?.(value, end)) ?? end;
  } catch (thrown) {
    leftover.cause = thrown;
    return failure(given, thrown, signal);
  }
}

/** Lets a caller wait for what it has to wait for, without the run's clock. */
async function wait({ call }: RunParts, invocation: number, before: (() => Promise<void>) | undefined): Promise<void> {
  if (!before) return;
  call((raw) => raw.askingStarted(invocation));
  await before();
  call((raw) => raw.askingEnded(invocation));
}

function failure({ PagehandError, messageOf }: Given, thrown: unknown, signal: AbortSignal): HandlerEnd {
  if (thrown instanceof Unserialisable) return { message: thrown.message, retryable: false, kind: "unserialisable" };
  const declined = thrown instanceof PagehandError && thrown.code === "declined";
  const kind = signal.aborted ? "cancelled" : declined ? "declined" : "threw";
  return { message: messageOf(thrown), retryable: isRetryable(thrown), kind };
}

/** A handler says by a property of what it throws that another attempt may help. */
function isRetryable(cause: unknown): boolean {
  try {
    return (cause as { retryable?: unknown } | null | undefined)?.retryable === true;
  } catch {
    return false;
  }
}
