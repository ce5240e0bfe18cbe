/**
 * Runs something that is no tool in a tool's place: a function, or an object with a method to start it, such as a
 * workflow. Loaded by the first call of a tool that {@link asTool} made.
 */
import type { Runnable } from "./as-tool.js";
import type { ForeignReport, ToolReport } from "./events.js";
import type { ToolContext } from "./tool.js";

const ENVELOPE = ["data", "error", "report"];

/** Runs it. What it throws, or says in an envelope that went wrong, is thrown. @internal */
export async function runAsTool(
  nested: WeakMap<object, (ToolReport | ForeignReport)[]>,
  isTool: (value: unknown) => boolean,
  runnable: Runnable,
  input: unknown,
  context: ToolContext,
): Promise<unknown> {
  const result: unknown = await start(isTool, runnable as unknown as Record<string, unknown>, input, context);
  if (!isEnvelope(result)) return result;
  const { data, error, report } = result;
  const reports = nested.get(context);
  if (reports && typeof report === "object" && report && !reports.includes(report as ForeignReport)) reports.push(report as ForeignReport);
  if (error !== undefined && error !== null) throw error;
  return data;
}

function start(isTool: (value: unknown) => boolean, runnable: Record<string, unknown>, input: unknown, context: ToolContext): unknown {
  if (typeof runnable === "function") return (runnable as (...given: unknown[]) => unknown)(input, context);
  // A tool has its checks in `invoke`; anything else is started by what it calls its start.
  const methods = isTool(runnable) ? ["invoke"] : ["execute", "run", "invoke"];
  const method = methods.find((name) => typeof runnable[name] === "function") ?? "";
  return (runnable as Record<string, (...given: unknown[]) => unknown>)[method]?.(input, context);
}

/**
 * Whether a result says how its run went. An object with other fields is a result like any other, unless it has a
 * report and says how that ended.
 */
function isEnvelope(result: unknown): result is { data?: unknown; error?: unknown; report?: unknown } {
  if (typeof result !== "object" || result === null || Array.isArray(result)) return false;
  const keys = Object.keys(result);
  if (!keys.some((key) => ENVELOPE.includes(key))) return false;
  if (keys.every((key) => ENVELOPE.includes(key))) return true;
  const { report } = result as { report?: unknown };
  return typeof report === "object" && report !== null && ("data" in result || "error" in result);
}
