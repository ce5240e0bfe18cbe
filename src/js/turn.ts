/**
 * One user message to its end: its events as they come, and a promise of how it ended that never rejects.
 * Events are kept for who starts to read late, up to a cap; then the oldest go.
 */
import { Emitter, type ListenOptions, type Unsubscribe } from "./emitter.js";
import type { Artifacts } from "./artifacts.js";
import type { AgentReport, EventType, Interrupt, Problem, ToolReport, TurnEvent, TurnFinishedEvent, TurnStatus } from "./events.js";

/** What happened in a turn. */
export interface TurnReport<Bag = Artifacts> {
  type: "turn";
  turnId: string;
  sessionId: string;
  status: TurnStatus;
  error?: Problem;
  startedAt: number;
  endedAt: number;
  duration: number;
  /** Its calls and its child agents, in the order they ended. */
  children: (ToolReport | AgentReport)[];
  /** What its calls put aside for the page, those of child agents too. */
  artifacts: Bag;
}

/** How a turn ended. */
export interface TurnResult<Bag = Artifacts> {
  /** The model's last text. */
  text: string;
  status: TurnStatus;
  /** What the turn returned, if anything. */
  data?: unknown;
  error?: Problem;
  /** What its calls put aside for the page, those of child agents too. */
  artifacts: Bag;
  report: TurnReport<Bag>;
}

/** What a turn asks of its runtime. @internal */
export interface TurnLinks {
  now(): number;
  /** What its own calls put aside so far. */
  artifacts(turnId: string): Artifacts;
  interrupts(turnId: string): Interrupt[];
  cancel(turnId: string, reason: string): void;
}

/** The kinds a turn can tell. @internal */
export const TURN_KINDS: readonly EventType[] = [
  "call",
  "agent.tool.calling",
  "agent.tool.called",
  "agent.tool.failed",
  "turn.started",
  "text",
  "reasoning",
  "state",
  "activity",
  "step",
  "custom",
  "raw",
  "message",
  "turn.finished",
  "interrupt",
  "interrupt.resumed",
  "interrupt.refused",
];

const MAX_KEPT = 10_000;

/** A turn that was opened by `runtime.send`. */
export class Turn<Bag = Artifacts> implements AsyncIterable<TurnEvent> {
  /** The turn's id, which the engine uses too. */
  readonly id: string;
  /** How it ended. Never rejects. */
  readonly finished: Promise<TurnResult<Bag>>;
  readonly #emitter = new Emitter<TurnEvent>();
  readonly #sessionId: string;
  readonly #startedAt: number;
  readonly #links: TurnLinks;
  readonly #kept: TurnEvent[] = [];
  #dropped = 0;
  #over = false;
  #text = "";
  #reasoning = "";
  #state: unknown;
  #wake: (() => void)[] = [];
  #artifacts: Bag | undefined;
  #finish: (result: TurnResult<Bag>) => void = () => undefined;

  /** @internal */
  constructor(id: string, sessionId: string, links: TurnLinks) {
    this.id = id;
    this.#sessionId = sessionId;
    this.#links = links;
    this.#startedAt = links.now();
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  /** The model's text so far. */
  get text(): string {
    return this.#text;
  }

  /** What the model showed of its reasoning so far. */
  get reasoning(): string {
    return this.#reasoning;
  }

  /** The agent's state, as this turn told it last. */
  get agentState(): unknown {
    return this.#state;
  }

  /**
   * Calls the turn off. A message that was not sent yet is withdrawn. Over AG-UI the request is aborted, and the turn ends
   * as cancelled at once. Else the calls that are open are answered as cancelled, and the turn ends when the engine ends
   * it. A turn that is over stays as it is.
   */
  cancel(reason = "the turn was called off"): void {
    if (!this.#over) this.#links.cancel(this.id, String(reason));
  }

  /**
   * What its calls put aside for the page: while it runs, what its own ended calls did, later writes winning by key;
   * once it is over, what `finished` says too.
   */
  get artifacts(): Bag {
    return this.#artifacts ?? (this.#links.artifacts(this.id) as Bag);
  }

  /** What it waits for now. */
  get interrupts(): Interrupt[] {
    return this.#links.interrupts(this.id);
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
    if (event.type === "reasoning") this.#reasoning += event.delta;
    if (event.type === "state") this.#state = event.state;
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

  #end(event: TurnFinishedEvent): void {
    this.#over = true;
    const endedAt = this.#links.now();
    const { status, text, error, data, children } = event;
    const artifacts = (this.#artifacts = (event.artifacts ?? {}) as Bag);
    const failure = error === undefined ? {} : { error };
    const report: TurnReport<Bag> = {
      type: "turn",
      turnId: this.id,
      sessionId: this.#sessionId,
      status,
      ...failure,
      startedAt: this.#startedAt,
      endedAt,
      duration: endedAt - this.#startedAt,
      children,
      artifacts,
    };
    this.#finish({ text, status, ...failure, ...(data === undefined ? {} : { data }), artifacts, report });
  }
}
