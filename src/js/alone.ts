/**
 * Runs a tool without a runtime: the same checks, the same errors, one report. Never throws or rejects.
 * Holds no timer: a tool's `timeout` is a runtime's business; here the caller's signal says when to stop.
 */
import { type Verdict, checksOf } from "./checks.js";
import { guard } from "./emitter.js";
import { PagehandError, SchemaValidationError, ToolExecutionError, messageOf } from "./errors.js";
import type { Issue } from "./errors.js";
import type { InputClass, ToolReport } from "./events.js";
import { type Invocation, type InvokeContext, blankReport, execute } from "./invoke.js";
import type { Numbers } from "./parse.js";
import { serialise, toJsonText } from "./serialise.js";
import type { InvalidInput, Tool, ToolContext } from "./tool.js";

/** Runs it. */
export async function invokeAlone<Output>(
  tool: Tool,
  rawInput: unknown,
  context: InvokeContext = {},
): Promise<Invocation<Output>> {
  const report: ToolReport = {
    ...blankReport(tool.name),
    ...(tool.version === undefined ? {} : { version: tool.version }),
    input: rawInput ?? {},
    artifacts: context.artifacts ?? {},
  };
  const result: Invocation<Output> = { report };
  const after: (() => unknown)[] = [];
  try {
    result.data = (await run(tool, rawInput ?? {}, context, report, after)) as Output;
    report.output = result.data;
  } catch (thrown) {
    const error = thrown instanceof PagehandError ? thrown : new ToolExecutionError(tool.name, messageOf(thrown), { cause: thrown });
    result.error = error;
    report.status = context.signal?.aborted ? "cancelled" : "failed";
    report.error = { code: error.code, message: error.message };
  }
  report.endedAt = Date.now();
  // The caller hears of the end first.
  queueMicrotask(() => after.forEach(guard));
  return result;
}

async function run(tool: Tool, rawInput: unknown, context: InvokeContext, report: ToolReport, after: (() => unknown)[]): Promise<unknown> {
  const numbers = context.numbers ?? "exact";
  const text = await fitting(tool, argumentsText(rawInput), numbers, report);
  const input = await checksOf(tool).input(text, numbers);
  report.input = input;
  const started = Date.now();
  try {
    const signal = context.signal ?? new AbortController().signal;
    if (signal.aborted) throw new PagehandError("cancelled", "the call was called off", { cause: signal.reason });
    const own: ToolContext = { artifacts: report.artifacts ?? {}, signal, callId: report.callId, attempt: 0, progress: () => undefined, after: (run) => void after.push(run) };
    const output = await execute(tool, input, own);
    await checkOutput(tool, output, numbers, report);
    return output;
  } finally {
    report.duration = Date.now() - started;
  }
}

function argumentsText(rawInput: unknown): string {
  try {
    return toJsonText(rawInput);
  } catch (error) {
    throw new PagehandError("malformed-arguments", messageOf(error), { cause: error });
  }
}

/** The arguments that run: those that came, or what the author's repair made of them. */
async function fitting(tool: Tool, text: string, numbers: Numbers, report: ToolReport): Promise<string> {
  const verdict = await checkInput(tool, text, numbers, report);
  if (!("issues" in verdict)) return text;
  if (tool.onInvalid === "run") return text;
  if (typeof tool.onInvalid === "function") {
    const invalid: InvalidInput = { text, problem: summary(verdict.issues), issues: verdict.issues };
    const proposed: unknown = await tool.onInvalid(invalid);
    if (proposed !== undefined) {
      const repaired = argumentsText(proposed);
      const second = await checkInput(tool, repaired, numbers, report);
      if (!("issues" in second)) return repaired;
    }
  }
  throw invalidInput(verdict.issues, "cause" in verdict ? verdict.cause : undefined);
}

async function checkInput(tool: Tool, text: string, numbers: Numbers, report: ToolReport): Promise<Verdict> {
  if (!text.startsWith("{")) throw new PagehandError("malformed-arguments", "the arguments must be a JSON object");
  const checks = checksOf(tool);
  const verdict = await checks.check("input", text, numbers);
  if ("unavailable" in verdict) throw new PagehandError("validator-unavailable", verdict.unavailable);
  const found: InputClass = "issues" in verdict ? "invalid" : checks.has("input") ? "valid" : "unchecked";
  report.checks = { input: found, issues: "issues" in verdict ? verdict.issues : [] };
  return verdict;
}

async function checkOutput(tool: Tool, output: unknown, numbers: Numbers, report: ToolReport): Promise<void> {
  let json: string;
  try {
    ({ json } = await serialise(output));
  } catch (error) {
    throw new PagehandError("unserialisable-result", messageOf(error), { cause: error });
  }
  const verdict = await checksOf(tool).check("output", json, numbers);
  if ("unavailable" in verdict) throw new PagehandError("validator-unavailable", verdict.unavailable);
  if ("issues" in verdict) {
    report.checks.issues = verdict.issues;
    throw new PagehandError("invalid-result", summary(verdict.issues), { cause: verdict.cause });
  }
}

/** The error for arguments that do not fit. */
function invalidInput(issues: readonly Issue[], cause?: unknown): SchemaValidationError {
  return new SchemaValidationError(`invalid tool arguments: ${summary(issues)}`, issues, cause === undefined ? {} : { cause });
}

/** At most three violations in words, then how many more there are. */
function summary(issues: readonly Issue[]): string {
  const told = issues.slice(0, 3).map((issue) => (issue.hint ? `${issue.message} (${issue.hint})` : issue.message));
  const more = issues.length - told.length;
  return told.join("; ") + (more > 0 ? ` (+${more} more)` : "");
}
