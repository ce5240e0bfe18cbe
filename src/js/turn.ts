/**
 * One user message to its end: its events as they come, and a promise of how it ended that never rejects.
 * Events are kept for who starts to read late, up to a cap; then the oldest go.
 */
import { Emitter, type ListenOptions, type Unsubscribe } from "./emitter.js";
import type { EventType, Problem, ToolReport, TurnEvent, TurnFinishedEvent, TurnStatus } from "./events.js";

/** What happened in a turn. */
export interface TurnReport {
  type: "turn";
  turnId: string;
  sessionId: string;
  status: TurnStatus;
  error?: Problem;
  startedAt: number;
  endedAt: number;
  duration: number;
  /** Its calls, in the order they began. */
  children: ToolReport[];
}

/** How a turn ended. */
export interface TurnResult {
  /** The model's last text. */
  text: string;
  status: TurnStatus;
  /** What the turn returned, if anything. */
  data?: unknown;
  error?: Problem;
  report: TurnReport;
}

/** The kinds a turn can tell. @internal */
export const TURN_KINDS: readonly EventType[] = [
  "call",
  "agent.tool.calling",
  "agent.tool.called",
  "agent.tool.failed",
  "turn.started",
  "text",
  "message",
  "turn.finished",
];

const MAX_KEPT = 10_000;

/** A turn that was opened by `runtime.send`. */
export class Turn implements AsyncIterable<TurnEvent> {
  /** The turn's id, which the engine uses too. */
  readonly id: string;
  /** How it ended. Never rejects. */
  readonly finished: Promise<TurnResult>;
  readonly #emitter = new Emitter<TurnEvent>();
  readonly #sessionId: string;
  readonly #startedAt: number;
  readonly #now: () => number;
  readonly #kept: TurnEvent[] = [];
  #dropped = 0;
  #over = false;
  #text = "";
  #wake: (() => void)[] = [];
  #finish: (result: TurnResult) => void = () => undefined;

  /** @internal */
  constructor(id: string, sessionId: string, now: () => number) {
    this.id = id;
    this.#sessionId = sessionId;
    this.#now = now;
    this.#startedAt = now();
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  /** The model's text so far. */
  get text(): string {
    return this.#text;
  }

  /** Listens to this turn alone. */
  on<Type extends TurnEvent["type"]>(
    type: Type,
    listener: (event: Extract<TurnEvent, { type: Type }>) => void,
    options?: ListenOptions,
  ): Unsubscribe {
    return this.#emitter.on(type, listener, options);
  }

  /** Every event of the turn, from its first; ends with the turn. */
  async *[Symbol.asyncIterator](): AsyncGenerator<TurnEvent, void, undefined> {
    let next = 0;
    for (;;) {
      next = Math.max(next, this.#dropped);
      const event = this.#kept[next - this.#dropped];
      if (event) {
        next += 1;
        yield event;
      } else if (this.#over) {
        return;
      } else {
        await new Promise<void>((resolve) => this.#wake.push(resolve));
      }
    }
  }

  /** @internal */
  take(event: TurnEvent): void {
    if (this.#over) return;
    if (event.type === "text") this.#text += event.delta;
    if (event.type === "message" && event.role === "assistant" && event.text) this.#text = event.text;
    this.#kept.push(event);
    if (this.#kept.length > MAX_KEPT) {
      this.#kept.shift();
      this.#dropped += 1;
    }
    if (event.type === "turn.finished") this.#end(event);
    this.#emitter.emit(event);
    const wake = this.#wake;
    this.#wake = [];
    for (const resolve of wake) resolve();
  }

  /** Ends it without the machine, which is gone. @internal */
  abandon(status: TurnStatus, error: Problem): void {
    this.take({ type: "turn.finished", turnId: this.id, status, text: this.#text, error, children: [] });
  }

  #end(event: TurnFinishedEvent): void {
    this.#over = true;
    const endedAt = this.#now();
    const { status, text, error, data, children } = event;
    const failure = error === undefined ? {} : { error };
    const report: TurnReport = {
      type: "turn",
      turnId: this.id,
      sessionId: this.#sessionId,
      status,
      ...failure,
      startedAt: this.#startedAt,
      endedAt,
      duration: endedAt - this.#startedAt,
      children,
    };
    this.#finish({ text, status, ...failure, ...(data === undefined ? {} : { data }), report });
  }
}
