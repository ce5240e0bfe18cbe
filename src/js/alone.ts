/**
 * Runs a tool without a runtime: the same checks, the same errors, one report. Never throws or rejects.
 * Loaded by the first `tool.invoke`; whatever it needs of the first load it is {@link Given}.
 */
import type { Verdict } from "./checks.js";
import type { Issue } from "./errors.js";
import type { InputClass, ToolReport } from "./events.js";
import type { Given } from "./given.js";
import type { Invocation, InvokeContext } from "./invoke.js";
import type { Numbers } from "./parse.js";
import { serialise, toJsonText } from "./serialise.js";
import type { InvalidInput, Tool, ToolContext } from "./tool.js";

/** Runs it. @internal */
export async function invokeAlone(given: Given, tool: Tool, rawInput: unknown, context: InvokeContext | null | undefined): Promise<Invocation> {
  const { PagehandError, ToolExecutionError, blankReport, guard, messageOf, nested } = given;
  const report = blankReport(tool.name);
  if (tool.version !== undefined) report.version = tool.version;
  report.input = rawInput ?? {};
  const result: Invocation = { report };
  const run = new Run(given, tool, report, context as Partial<ToolContext> | null | undefined);
  try {
    // Read here, where a context whose properties throw is an error like any other.
    report.artifacts = context?.artifacts ?? {};
    result.data = await run.until(context?.signal ?? undefined, context?.numbers ?? "exact");
    report.output = result.data;
  } catch (thrown) {
    const error = thrown instanceof PagehandError ? thrown : new ToolExecutionError(tool.name, messageOf(thrown), { cause: thrown });
    result.error = error;
    report.status = error.code === "cancelled" ? "cancelled" : "failed";
    report.error = { code: error.code, message: error.message };
  }
  report.endedAt = Date.now();
  if (typeof context === "object" && context) nested.get(context)?.push(report);
  // The caller hears of the end first. A call that was called off has no answer that anything could follow.
  if (report.status !== "cancelled") queueMicrotask(() => run.after.forEach(guard));
  return result;
}

class Run {
  readonly after: (() => unknown)[] = [];
  readonly #given: Given;
  readonly #tool: Tool;
  readonly #report: ToolReport;
  readonly #end = new AbortController();
  /** The context of the call it runs within, if it does. */
  readonly #outer: Partial<ToolContext> | null | undefined;
  #fail: (error: unknown) => void = () => undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #numbers: Numbers = "exact";

  constructor(given: Given, tool: Tool, report: ToolReport, outer: Partial<ToolContext> | null | undefined) {
    this.#given = given;
    this.#outer = outer;
    this.#tool = tool;
    this.#report = report;
  }

  /** Runs it until it ends, its caller's signal aborts, or its time is over. */
  async until(signal: AbortSignal | undefined, numbers: Numbers): Promise<unknown> {
    this.#numbers = numbers;
    const ended = new Promise<never>((_resolve, reject) => {
      this.#fail = reject;
    });
    const stop = () => this.#stop("cancelled", "the call was called off", signal?.reason);
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop);
    try {
      return await Promise.race([ended, this.#run()]);
    } finally {
      clearTimeout(this.#timer);
      signal?.removeEventListener("abort", stop);
    }
  }

  #stop(code: "cancelled" | "deadline_exceeded", message: string, reason: unknown): void {
    this.#fail(new this.#given.PagehandError(code, message, { cause: reason }));
    this.#end.abort(reason);
  }

  async #run(): Promise<unknown> {
    const { checksOf } = this.#given;
    const text = await this.#fitting(this.#arguments(this.#report.input));
    const input = (this.#report.input = await checksOf(this.#tool).input(text, this.#numbers));
    const { signal } = this.#end;
    // Whoever called it off has its answer already.
    if (signal.aborted) return;
    const started = Date.now();
    try {
      const output = await this.#execute(input, signal);
      if (!signal.aborted) await this.#checkOutput(output);
      return output;
    } finally {
      this.#report.duration = Date.now() - started;
    }
  }

  async #execute(input: unknown, signal: AbortSignal): Promise<unknown> {
    const { PagehandError, ToolExecutionError, messageOf, nested } = this.#given;
    const { timeout, name } = this.#tool;
    const { artifacts = {}, callId } = this.#report;
    const children = (this.#report.children = []);
    const wait = () => {
      clearTimeout(this.#timer);
      if (timeout === undefined || signal.aborted) return;
      const message = `the tool ran longer than ${timeout} ms`;
      this.#timer = setTimeout(() => this.#stop("deadline_exceeded", message, new DOMException(message, "AbortError")), timeout);
    };
    const deadline = timeout === undefined ? undefined : Date.now() + timeout;
    const outer = this.#outer;
    // Within another call it is that call that asks.
    const asks = async (form: boolean, request: unknown): Promise<never> => {
      clearTimeout(this.#timer);
      try {
        const ask = (form ? outer?.ask : outer?.confirm) as ((request: unknown) => Promise<unknown>) | undefined;
        if (ask) return (await ask(request)) as never;
        const { askWithin } = await import("./ask/within.js");
        return (await askWithin(this.#given, { sessionId: "", callId, attempt: 0, name, signal }, form, request)) as never;
      } finally {
        wait();
      }
    };
    const context: ToolContext = {
      artifacts,
      signal,
      callId,
      attempt: 0,
      deadline,
      progress: wait,
      ask: (request) => asks(true, request),
      confirm: (request) => asks(false, request),
      after: (run) => void this.after.push(run),
    };
    nested.set(context, children);
    wait();
    try {
      return await this.#tool.execute(input, context);
    } catch (cause) {
      if (cause instanceof PagehandError && cause.code === "declined") throw cause;
      throw new ToolExecutionError(name, messageOf(cause), { cause });
    } finally {
      clearTimeout(this.#timer);
      if (children.length === 0) delete this.#report.children;
    }
  }

  #arguments(rawInput: unknown): string {
    const { PagehandError, messageOf } = this.#given;
    try {
      return toJsonText(rawInput, messageOf);
    } catch (error) {
      throw new PagehandError("malformed-arguments", messageOf(error), { cause: error });
    }
  }

  /** The arguments that run: those that came, or what the author's repair made of them. */
  async #fitting(text: string): Promise<string> {
    const { onInvalid } = this.#tool;
    const verdict = await this.#checkInput(text);
    if (!("issues" in verdict) || onInvalid === "run") return text;
    const { issues } = verdict;
    if (typeof onInvalid === "function") {
      const invalid: InvalidInput = { text, problem: summary(issues), issues };
      const proposed: unknown = await onInvalid(invalid);
      if (proposed !== undefined) {
        const repaired = this.#arguments(proposed);
        if (!("issues" in (await this.#checkInput(repaired)))) return repaired;
      }
    }
    throw new this.#given.SchemaValidationError(`invalid tool arguments: ${summary(issues)}`, issues, "cause" in verdict ? { cause: verdict.cause } : {});
  }

  async #checkInput(text: string): Promise<Verdict> {
    const { PagehandError, checksOf } = this.#given;
    if (!text.startsWith("{")) throw new PagehandError("malformed-arguments", "the arguments must be a JSON object");
    const checks = checksOf(this.#tool);
    const verdict = await checks.check("input", text, this.#numbers);
    if ("unavailable" in verdict) throw new PagehandError("validator-unavailable", verdict.unavailable);
    const found: InputClass = "issues" in verdict ? "invalid" : checks.has("input") ? "valid" : "unchecked";
    this.#report.checks = { input: found, issues: "issues" in verdict ? verdict.issues : [] };
    return verdict;
  }

  async #checkOutput(output: unknown): Promise<void> {
    const { PagehandError, checksOf, messageOf } = this.#given;
    let json: string;
    try {
      ({ json } = await serialise(output, messageOf));
    } catch (error) {
      throw new PagehandError("unserialisable-result", messageOf(error), { cause: error });
    }
    const verdict = await checksOf(this.#tool).check("output", json, this.#numbers);
    if ("unavailable" in verdict) throw new PagehandError("validator-unavailable", verdict.unavailable);
    if ("issues" in verdict) {
      this.#report.checks.issues = verdict.issues;
      throw new PagehandError("invalid-result", summary(verdict.issues), { cause: verdict.cause });
    }
  }
}

/** At most three violations in words, then how many more there are. */
function summary(issues: readonly Issue[]): string {
  const told = issues.slice(0, 3).map((issue) => (issue.hint ? `${issue.message} (${issue.hint})` : issue.message));
  const more = issues.length - told.length;
  return told.join("; ") + (more > 0 ? ` (+${more} more)` : "");
}
