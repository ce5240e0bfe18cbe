/**
 * Lanes for calls of the browser's agent. The machine lets a call that the app makes start at once, because a handler
 * that awaits one would wait for itself; the browser's agent is no handler, so its calls stand in line here: behind each
 * other, and behind calls of the engine's that run in the lane or wait for it. Those wait for ours in the machine.
 */
import type { PendingCall } from "../events.js";
import type { Runtime } from "../runtime.js";

const lines = new WeakMap<Runtime, Map<string, Promise<unknown>>>();

/**
 * Runs something when it is its turn in the lane; nothing where the signal aborts before. What it runs is given what to
 * await when a person has been asked meanwhile, for the lane may have been taken. Rejects only as `run` does.
 */
export async function inLane<Result>(runtime: Runtime, lane: string | undefined, signal: AbortSignal, run: (free?: () => Promise<void>) => Promise<Result>): Promise<Result | undefined> {
  if (lane === undefined) return run();
  let line = lines.get(runtime);
  if (!line) lines.set(runtime, (line = new Map()));
  const before = line.get(lane);
  const mine = (async () => {
    await Promise.race([before, aborted(signal)]);
    await freed(runtime, lane, signal, ({ state }) => state === "queued" || state === "running");
    // Then ours holds the lane, and what is queued waits for it.
    return signal.aborted ? undefined : run(() => freed(runtime, lane, signal, ({ state, sessionId }) => state === "running" && sessionId !== ""));
  })();
  // Who is called off leaves the line; who stands behind goes on waiting for those before.
  const settled = Promise.all([before, mine.catch(() => undefined)]);
  line.set(lane, settled);
  void settled.then(() => line.get(lane) === settled && line.delete(lane));
  return mine;
}

const aborted = (signal: AbortSignal) => new Promise((resolve) => (signal.aborted ? resolve(undefined) : signal.addEventListener("abort", resolve, { once: true })));

/** Resolves when no call in the lane is in the way, or the signal aborts. */
async function freed(runtime: Runtime, lane: string, signal: AbortSignal, inTheWay: (call: PendingCall) => boolean): Promise<void> {
  const busy = () => {
    const names = runtime.inside.tools().filter((tool) => tool.lane === lane).map((tool) => tool.name);
    return runtime.pending.some((call) => names.includes(call.name) && inTheWay(call));
  };
  if (signal.aborted || !busy()) return;
  await new Promise<void>((resolve) => {
    const over = new AbortController();
    const look = () => {
      if (!signal.aborted && runtime.state !== "closed" && busy()) return;
      over.abort();
      runtime.inside.changed.delete(look);
      resolve();
    };
    for (const kind of ["call", "agent.tool.called", "agent.tool.failed"] as const) runtime.on(kind, look, { signal: over.signal });
    signal.addEventListener("abort", look, { signal: over.signal });
    // A runtime that is closed tells of nothing else.
    runtime.inside.changed.add(look);
  });
}
