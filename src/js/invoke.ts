/**
 * What runs of tools have in common, inside a runtime and outside: the label, the shape of the outcome.
 */
import type { PagehandError } from "./errors.js";
import type { ToolReport } from "./events.js";
import { randomId } from "./ids.js";
import type { Numbers } from "./parse.js";
import type { Tool } from "./tool.js";

/** How one run ended. */
export interface Invocation<Output = unknown> {
  /** What the tool returned. */
  data?: Output;
  /** What went wrong. */
  error?: PagehandError;
  report: ToolReport;
}

/** What a run may be given. */
export interface InvokeContext {
  signal?: AbortSignal | undefined;
  artifacts?: Record<string, unknown> | undefined;
  /** @defaultValue `"exact"` */
  numbers?: Numbers | undefined;
}

/** The invocation of a call that never got as far as a tool. @internal */
export function failedInvocation(name: string, error: PagehandError, callId = randomId()): Invocation {
  const { code, message } = error;
  return { error, report: { ...blankReport(name), callId, status: "failed", error: { code, message } } };
}

/** A report with nothing in it yet. @internal */
export function blankReport(name: string): ToolReport {
  const now = Date.now();
  return {
    type: "tool",
    name,
    sessionId: "",
    callId: randomId(),
    attempt: 0,
    turnId: null,
    tripIndex: 0,
    input: {},
    status: "completed",
    startedAt: now,
    endedAt: now,
    duration: 0,
    checks: { issues: [] },
  };
}

/** The label for people, if the tool has one and it can be made. */
export function labelOf(tool: Tool, input: unknown): string | undefined {
  const { action } = tool;
  if (typeof action !== "function") return action;
  try {
    const label: unknown = action(input);
    return typeof label === "string" ? label : undefined;
  } catch {
    return undefined;
  }
}
