/**
 * Hands batches of events to whoever listens: the turn, the tool, the runtime, the waiting `invoke`.
 * Adds what only JavaScript has: artifacts, the label of a call, the cause of an error.
 */
import { Emitter, guard } from "./emitter.js";
import { PagehandError, SchemaValidationError, ToolExecutionError } from "./errors.js";
import type { CallKey, CalledEvent, CallingEvent, EventType, FailedEvent, RuntimeEvent, ToolInfo, ToolReport, TurnEvent } from "./events.js";
import { type Leftover, Stash, idOf } from "./handler.js";
import { type Invocation, failedInvocation, labelOf } from "./invoke.js";
import { type Numbers, parseJson } from "./parse.js";
import type { Registry } from "./registry.js";
import { type ToolEvent, emitterOf } from "./tool.js";
import { TURN_KINDS, type Turn } from "./turn.js";

const ENDS: readonly EventType[] = ["agent.tool.called", "agent.tool.failed"];

/** Everyone who may listen to one runtime. @internal */
export class Dispatcher {
  readonly emitter: Emitter<RuntimeEvent>;
  readonly stash = new Stash();
  readonly #turns = new Map<string, Turn>();
  readonly #waiting = new Map<string, (invocation: Invocation) => void>();
  readonly #after = new Map<string, (() => unknown)[]>();
  readonly #registry: Registry;
  readonly #numbers: Numbers;
  readonly #changed: () => void;

  constructor(registry: Registry, numbers: Numbers, changed: () => void) {
    this.#registry = registry;
    this.#numbers = numbers;
    this.#changed = changed;
    this.emitter = new Emitter(changed);
  }

  /** The kinds that somebody listens to, with commas between. */
  interest(): string {
    const kinds = new Set<string>(this.emitter.kinds());
    for (const tool of this.#registry.tools()) for (const kind of emitterOf(tool)?.kinds() ?? []) kinds.add(kind);
    if (this.#turns.size > 0) for (const kind of TURN_KINDS) kinds.add(kind);
    if (this.#waiting.size + this.#after.size > 0) for (const kind of ENDS) kinds.add(kind);
    if (this.#after.size > 0) kinds.add("delivery");
    return [...kinds].sort().join(",");
  }

  follow(turn: Turn): void {
    this.#turns.set(turn.id, turn);
    this.#changed();
  }

  /** Resolves when the call of this id has ended. */
  waitFor(callId: string): Promise<Invocation> {
    return new Promise((resolve) => {
      this.#waiting.set(callId, resolve);
      this.#changed();
    });
  }

  /** Runs something once a call's answer is with the engine, or kept for later. */
  after(key: CallKey, run: () => unknown): void {
    const id = idOf(key);
    this.#after.set(id, [...(this.#after.get(id) ?? []), run]);
    this.#changed();
  }

  /** Takes a batch as the driver gives it. */
  take(batch: string): void {
    for (const event of parseJson(batch, this.#numbers) as RuntimeEvent[]) this.emit(event);
  }

  emit(event: RuntimeEvent): void {
    let ended: Invocation | undefined;
    if (event.type === "agent.tool.calling") this.#label(event);
    if (event.type === "agent.tool.called" || event.type === "agent.tool.failed") ended = this.#complete(event);
    if ("turnId" in event && event.turnId !== null) this.#turn(event);
    if ("tool" in event || event.type === "tool.progress") this.#tool(event);
    this.emitter.emit(event);
    if (this.#after.size > 0 && (ended || (event.type === "delivery" && event.state !== "sending"))) this.#afterwards(event as FailedEvent);
    if (!ended) return;
    const resolve = this.#waiting.get(ended.report.callId);
    if (resolve && this.#waiting.delete(ended.report.callId)) {
      this.#changed();
      resolve(ended);
    }
  }

  /** Ends everything that still waits: the machine is gone. */
  abandon(error: PagehandError): void {
    for (const turn of [...this.#turns.values()]) {
      const status = error.code === "closed" ? "cancelled" : "failed";
      turn.abandon(status, { code: error.code, message: error.message });
    }
    this.#turns.clear();
    this.#after.clear();
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const [callId, resolve] of waiting) resolve(failedInvocation("", error, callId));
  }

  #afterwards(event: CallKey & { status?: unknown }): void {
    const id = idOf(event);
    const runs = this.#after.get(id);
    if (!runs) return;
    this.#after.delete(id);
    this.#changed();
    // A call that was called off has no answer that anything could follow.
    if (event.status !== "cancelled") runs.forEach(guard);
  }

  #label(event: CallingEvent): void {
    const tool = this.#registry.get(event.tool.name);
    const action = tool && labelOf(tool, event.input);
    if (action !== undefined) event.tool.action = action;
  }

  #complete(event: CalledEvent | FailedEvent): Invocation {
    const leftover = this.stash.take(event);
    const tool = this.#registry.get(event.name);
    const info: ToolInfo = { name: event.name };
    if (tool?.description !== undefined) info.description = tool.description;
    const action = tool && labelOf(tool, event.input);
    if (action !== undefined) info.action = action;
    if (leftover) event.artifacts = leftover.artifacts;
    const report: ToolReport = { ...event, type: "tool" };
    event.tool = info;
    const result: Invocation = { report };
    if (event.type === "agent.tool.called") result.data = leftover && "value" in leftover ? leftover.value : event.output;
    else result.error = errorOf(report, leftover);
    return result;
  }

  #turn(event: TurnEvent): void {
    const turn = this.#turns.get(event.turnId ?? "");
    if (!turn) return;
    turn.take(event);
    if (event.type === "turn.finished" && this.#turns.delete(turn.id)) this.#changed();
  }

  #tool(event: Extract<RuntimeEvent, ToolEvent>): void {
    const name = event.type === "tool.progress" ? event.name : event.tool.name;
    const tool = this.#registry.get(name);
    if (tool) emitterOf(tool)?.emit(event);
  }
}

/** The error of a call that ended badly, with what was thrown as its cause. */
function errorOf(report: ToolReport, leftover: Leftover | undefined): PagehandError {
  const { code, message } = report.error ?? { code: "TOOL_EXEC_FAILED", message: "the call failed" };
  const cause = leftover?.cause;
  if (code === "SCHEMA_VALIDATION_FAILED") return new SchemaValidationError(message, report.checks.issues, { cause });
  if (code === "TOOL_EXEC_FAILED") {
    if (cause instanceof ToolExecutionError) return cause;
    return new ToolExecutionError(report.name, message, { cause, tripIndex: report.tripIndex });
  }
  return new PagehandError(code, message, { cause });
}
