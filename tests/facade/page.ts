/**
 * A page in a test: a bundled engine, a runtime that reaches it by the engine's own `fetch`, and the
 * clean-up of both. Holds no assertion.
 */
import { onTestFinished } from "vitest";
import { type Runtime, type RuntimeEvent, type RuntimeOptions, createRuntime } from "pagehand";
import { type TestEngine, type TestEngineOptions, createTestEngine } from "pagehand/testing";

/** Spans short enough for tests that wait in real time. */
export const BRISK = { backoffBase: 20, backoffMax: 80, unknownToolGrace: 30, replayQuiet: 20 };

/** What a test holds. */
export interface Page {
  engine: TestEngine;
  runtime: Runtime;
  /** Every event of the kinds asked for, in order. */
  seen: RuntimeEvent[];
}

/** Opens a page. */
export async function open(
  engineOptions: TestEngineOptions,
  options: Partial<RuntimeOptions> = {},
  kinds: RuntimeEvent["type"][] = ["connection", "warning", "delivery", "fatal"],
): Promise<Page> {
  const engine = await createTestEngine({ deltaIntervalMs: 1, ...engineOptions });
  const runtime = await createRuntime({
    engine: engine.url,
    agent: "shop",
    token: () => engine.token(),
    fetch: engine.fetch,
    ...options,
    tuning: { ...BRISK, ...options.tuning },
  });
  const seen: RuntimeEvent[] = [];
  for (const kind of kinds) runtime.on(kind, (event) => seen.push(event));
  onTestFinished(async () => {
    await runtime.close();
    await engine.close();
  });
  return { engine, runtime, seen };
}

/** One call of a tool by the scripted model, then a closing sentence. */
export function oneCall(name: string, args: unknown = {}): TestEngineOptions {
  return {
    script: {
      replies: [{ call: [{ name, arguments: args, id: "call_1" }] }],
      otherwise: { say: "Done." },
    },
  };
}

/** A promise and its ends. */
export function gate<T = void>(): { promise: Promise<T>; open: (value: T) => void; fail: (reason: unknown) => void } {
  let open!: (value: T) => void;
  let fail!: (reason: unknown) => void;
  const promise = new Promise<T>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { promise, open, fail };
}
