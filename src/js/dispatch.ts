/**
 * Hands batches of events to whoever listens: the turn, the tool, the runtime, the waiting `invoke` and `resume`.
 * Adds what only JavaScript has: artifacts, the label of a call, the cause of an error.
 */
import { type Artifacts, spread } from "./artifacts.js";
import { checksOf } from "./checks.js";
import { Emitter, guard } from "./emitter.js";
import { PagehandError, SchemaValidationError, ToolExecutionError } from "./errors.js";
import type { AgentReport, CallKey, CalledEvent, CallingEvent, EventType, FailedEvent, Problem, RuntimeEvent, ToolInfo, ToolReport, TurnEvent, TurnFinishedEvent } from "./events.js";
import { type Leftover, MAX_LEFTOVERS, Stash, idOf } from "./stash.js";
import { type Invocation, failedInvocation, labelOf } from "./invoke.js";
import { Lists, cap } from "./lists.js";
import { type Numbers, parseJson } from "./parse.js";
import type { Registry } from "./registry.js";
import { type Tool, type ToolEvent, emitterOf } from "./tool.js";
import { TURN_KINDS, type Turn } from "./turn.js";

const ENDS: readonly EventType[] = ["agent.tool.called", "agent.tool.failed"];
const RESUMES: readonly EventType[] = ["interrupt.resumed", "interrupt.refused"];

/** Everyone who may listen to one runtime. @internal */
export class Dispatcher {
  readonly emitter: Emitter<RuntimeEvent>;
  readonly stash = new Stash();
  /** What the agent shares of its state, as it was told or set last. */
  agentState: unknown;
  readonly #turns = new Map<string, Turn>();
  /** What ended calls left, in the order they ended, while turns are open. */
  readonly #ended = new Map<string, Leftover & { turnId: string | null }>();
  readonly #waiting: Lists<(invocation: Invocation) => void>;
  readonly #resuming: Lists<(problem?: Problem) => void>;
  readonly #after: Lists<() => unknown>;
  readonly #registry: Registry;
  readonly #numbers: Numbers;
  readonly #changed: () => void;
  readonly #finalize: (bags: readonly Artifacts[], turn: Turn) => Artifacts;

  constructor(registry: Registry, numbers: Numbers, changed: () => void, finalize: (bags: readonly Artifacts[], turn: Turn) => Artifacts) {
    this.#registry = registry;
    this.#numbers = numbers;
    this.#changed = changed;
    this.#finalize = finalize;
    this.emitter = new Emitter(changed);
    this.#waiting = new Lists(changed);
    this.#resuming = new Lists(changed);
    this.#after = new Lists(changed);
  }

  /** The kinds that somebody listens to, with commas between. */
  interest(): string {
    const kinds = new Set<string>(this.emitter.kinds());
    for (const tool of this.#registry.tools()) for (const kind of emitterOf(tool)?.kinds() ?? []) kinds.add(kind);
    if (this.#turns.size > 0) for (const kind of TURN_KINDS) kinds.add(kind);
    if (this.#waiting.size + this.#after.size > 0) for (const kind of ENDS) kinds.add(kind);
    if (this.#resuming.size > 0) for (const kind of RESUMES) kinds.add(kind);
    if (this.#after.size > 0) kinds.add("delivery");
    return [...kinds].sort().join(",");
  }

  follow(turn: Turn): void {
    this.#turns.set(turn.id, turn);
    this.#changed();
  }

  /** What the calls of an open turn have put aside so far. */
  artifacts(turnId: string): Artifacts {
    return spread(this.#bags(turnId));
  }

  /** Resolves when the call of this id has ended. */
  waitFor(callId: string): Promise<Invocation> {
    return new Promise((resolve) => this.#waiting.add(callId, resolve));
  }

  /** Resolves when the engine has taken the resume of an interrupt, or with why it did not. */
  waitForResume(interruptId: string): Promise<Problem | undefined> {
    return new Promise((resolve) => this.#resuming.add(interruptId, resolve));
  }

  /** Runs something once a call's answer is with the engine, or kept for later. */
  after(key: CallKey, run: () => unknown): void {
    this.#after.add(idOf(key), run);
  }

  /** Takes a batch as the driver gives it. */
  take(batch: string): void {
    for (const event of parseJson(batch, this.#numbers) as RuntimeEvent[]) this.emit(event);
  }

  emit(event: RuntimeEvent): void {
    let ended: Invocation | undefined;
    if (event.type === "state") this.agentState = event.state;
    if (event.type === "agent.tool.calling") this.#label(event);
    if (event.type === "agent.tool.called" || event.type === "agent.tool.failed") ended = this.#complete(event);
    if ("turnId" in event && event.turnId !== null) this.#turn(event);
    if ("tool" in event || event.type === "tool.progress") this.#tool(event);
    this.emitter.emit(event);
    if (event.type === "interrupt.resumed") this.#resumed(event.interruptId);
    if (event.type === "interrupt.refused") this.#resumed(event.interruptId, event.error);
    if (ended || (event.type === "delivery" && event.state !== "sending")) this.#afterwards(event as FailedEvent);
    for (const resolve of ended ? this.#waiting.take(ended.report.callId) : []) resolve(ended as Invocation);
  }

  /** Ends everything that still waits: the machine is gone. */
  abandon({ code, message }: PagehandError): void {
    const error = { code, message };
    for (const { id: turnId, text } of [...this.#turns.values()]) {
      this.#turn({ type: "turn.finished", turnId, status: code === "closed" ? "cancelled" : "failed", text, error, children: [] });
    }
    for (const id of this.#after.names()) this.#after.take(id);
    for (const interruptId of this.#resuming.names()) this.#resumed(interruptId, error);
    for (const callId of this.#waiting.names()) {
      for (const resolve of this.#waiting.take(callId)) resolve(failedInvocation("", new PagehandError(code, message), callId));
    }
  }

  #afterwards(event: CallKey & { status?: unknown }): void {
    const runs = this.#after.take(idOf(event));
    // A call that was called off has no answer that anything could follow.
    if (event.status !== "cancelled") runs.forEach(guard);
  }

  #resumed(interruptId: string, problem?: Problem): void {
    for (const resolve of this.#resuming.take(interruptId)) resolve(problem);
  }

  #label(event: CallingEvent): void {
    const tool = this.#registry.get(event.tool.name);
    if (!tool) return;
    const action = labelOf(tool, checksOf(tool).seen(event.input));
    if (action !== undefined) event.tool.action = action;
    this.stash.of(event).action = action;
  }

  #complete(event: CalledEvent | FailedEvent): Invocation {
    const leftover = this.stash.take(event);
    if (leftover) {
      fill(event, leftover);
      if (this.#turns.size > 0 && event.turnId !== null) this.#keep(idOf(event), { ...leftover, turnId: event.turnId });
    }
    const report: ToolReport = { ...event, type: "tool" };
    const result: Invocation = { report };
    if (event.type === "agent.tool.called") result.data = leftover && "value" in leftover ? leftover.value : event.output;
    else {
      const validator = this.stash.take(this.stash.ofValidator(event.name, report.checks.issues));
      event.error = result.error = errorOf(report, leftover?.cause ?? validator?.cause);
    }
    event.tool = infoOf(event.name, this.#registry.get(event.name), leftover?.action);
    return result;
  }

  #keep(id: string, leftover: Leftover & { turnId: string | null }): void {
    this.#ended.set(id, leftover);
    cap(this.#ended, MAX_LEFTOVERS);
  }

  /** The bags of a turn's calls, and of some others. */
  #bags(turnId: string, others?: ReadonlySet<string>): Artifacts[] {
    return [...this.#ended].filter(([id, one]) => one.turnId === turnId || others?.has(id)).map(([, { artifacts }]) => artifacts);
  }

  #turn(event: TurnEvent): void {
    const turn = this.#turns.get(event.turnId ?? "");
    if (!turn) return;
    if (event.type === "turn.finished") this.#gather(event, turn);
    turn.take(event);
    if (event.type !== "turn.finished") return;
    this.#turns.delete(turn.id);
    if (this.#turns.size === 0) this.#ended.clear();
    this.#changed();
  }

  /** Puts into a turn's reports what its calls left, those of child agents too. */
  #gather(event: TurnFinishedEvent, turn: Turn): void {
    const ids = new Set<string>();
    const gather = (report: ToolReport | AgentReport): void => {
      if (report.type === "agent") return report.children.forEach(gather);
      const id = idOf(report);
      const left = this.#ended.get(id);
      if (!left) return;
      ids.add(id);
      fill(report, left);
    };
    event.children.forEach(gather);
    event.artifacts = this.#finalize(this.#bags(event.turnId, ids), turn);
  }

  #tool(event: Extract<RuntimeEvent, ToolEvent>): void {
    const name = event.type === "tool.progress" ? event.name : event.tool.name;
    const tool = this.#registry.get(name);
    if (tool) emitterOf(tool)?.emit(event);
  }
}

/** Adds to a report what its call left. */
function fill(report: Pick<ToolReport, "artifacts" | "children" | "consent">, { artifacts, children, consent }: Leftover): void {
  if (consent) report.consent = consent;
  // One that never ran has put nothing aside.
  if (!children) return;
  report.artifacts = artifacts;
  if (children.length > 0) report.children = children;
}

/** What is said of a tool. A call that was not run has no checked input to make a label of. */
function infoOf(name: string, tool: Tool | undefined, label: string | undefined): ToolInfo {
  const info: ToolInfo = { name };
  const { description, action } = tool ?? {};
  if (description !== undefined) info.description = description;
  if (label !== undefined) info.action = label;
  else if (typeof action === "string") info.action = action;
  return info;
}

/** The error of a call that ended badly, with what was thrown as its cause. */
function errorOf({ name, tripIndex, checks, error }: ToolReport, cause: unknown): PagehandError {
  const { code, message } = error ?? { code: "TOOL_EXEC_FAILED", message: "the call failed" };
  if (code === "SCHEMA_VALIDATION_FAILED") return new SchemaValidationError(message, checks.issues, { cause });
  if (code === "TOOL_EXEC_FAILED") return new ToolExecutionError(name, message, { cause, tripIndex });
  return new PagehandError(code, message, { cause });
}
