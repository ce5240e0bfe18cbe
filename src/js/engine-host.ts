/**
 * Drives the bundled engine: requests in, responses out, one timer or a clock that stands still until
 * it is moved. Whatever carries the bytes (a `fetch`, a Node server) is a {@link Sink} here.
 */
import { messageOf } from "./errors.js";
import type { EngineFault, EngineOperator, EngineOutput, ModelDelta, ModelReply, ModelRequest, ShowDelta } from "./engine-types.js";
import type { Seat } from "./engine-worker.js";
import type { RawEngine } from "./wasm/engine.js";

/** Who gets a response. */
export interface Sink {
  head(status: number, headers: [string, string][]): void;
  write(bytes: Uint8Array<ArrayBuffer>): void;
  end(): void;
  /** The connection broke. */
  lose(): void;
}

/** A request, whole. */
export interface WireRequest {
  method: string;
  /** Path and query. */
  target: string;
  headers: [string, string][];
  body: Uint8Array;
}

type Input =
  | { type: "request"; id: number; method: string; target: string; headers: [string, string][] }
  | { type: "clientGone"; id: number }
  | { type: "timeReached" }
  | { type: "modelDelta"; call: string; delta: ModelDelta }
  | { type: "modelReplied"; call: string; reply: ModelReply }
  | { type: "workerReplied"; decision: string; attempt: number; response: string }
  | { type: "workerFailed"; decision: string; attempt: number; message: string }
  | { type: "operator"; [field: string]: unknown }
  | { type: "fault"; fault: EngineFault };

/** How the host is set up. */
export interface HostOptions {
  /** Where the clock starts if it is moved by hand; without it, real time passes. */
  manual: number | undefined;
  /** Answers model requests, where the engine does not do it by script. */
  model: ((request: ModelRequest, show: ShowDelta) => Promise<ModelReply> | ModelReply) | undefined;
  /** Answers decisions, where the engine does not take its own proposals. */
  worker: Seat | undefined;
}

const LONGEST_TIMER = 0x7fff_ffff;

/** One running engine. */
export class EngineHost {
  readonly #raw: RawEngine;
  readonly #options: HostOptions;
  readonly #sinks = new Map<number, Sink>();
  readonly #over = new AbortController();
  readonly #inbox: { input: Input; body?: Uint8Array }[] = [];
  #feeding = false;
  #closed = false;
  #lastId = 0;
  #time: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(raw: RawEngine, options: HostOptions) {
    this.#raw = raw;
    this.#options = options;
    this.#time = options.manual ?? Date.now();
  }

  get closed(): boolean {
    return this.#closed;
  }

  now(): number {
    return this.#options.manual === undefined ? Date.now() : this.#time;
  }

  /** Hands a request in. Gives the function that says the client went away. */
  open(request: WireRequest, sink: Sink): () => void {
    const id = (this.#lastId += 1);
    this.#sinks.set(id, sink);
    const { method, target, headers, body } = request;
    this.#feed({ type: "request", id, method, target, headers }, body);
    return () => {
      if (this.#sinks.delete(id)) this.#feed({ type: "clientGone", id });
    };
  }

  fault(fault: EngineFault): void {
    this.#feed({ type: "fault", fault });
  }

  operate(operator: EngineOperator): void {
    this.#feed({ ...operator, type: "operator" });
  }

  inspect(session: string): unknown {
    return JSON.parse(this.#raw.inspect(session));
  }

  sessions(): string[] {
    return JSON.parse(this.#raw.sessions()) as string[];
  }

  /** Moves a clock that is moved by hand, stopping wherever the engine has something to do. */
  async advance(span: number): Promise<void> {
    const until = this.#time + span;
    for (;;) {
      // Lets whoever waits for bytes take them, before time goes on.
      await new Promise((resolve) => setTimeout(resolve));
      const due = this.#raw.nextTimeout();
      if (this.#closed || due === undefined || due > until) break;
      this.#time = Math.max(this.#time, due);
      this.#feed({ type: "timeReached" });
    }
    this.#time = until;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#over.abort();
    for (const sink of this.#sinks.values()) sink.lose();
    this.#sinks.clear();
    this.#raw.free();
  }

  #feed(input: Input, body?: Uint8Array): void {
    if (this.#closed) return;
    this.#inbox.push(body === undefined ? { input } : { input, body });
    // What a sink does while it is written to may come back here.
    if (this.#feeding) return;
    this.#feeding = true;
    try {
      for (let next = this.#inbox.shift(); next && !this.#closed; next = this.#inbox.shift()) {
        this.#raw.handle(this.now(), JSON.stringify(next.input), next.body);
        for (const output of JSON.parse(this.#raw.drain()) as EngineOutput[]) this.#carry(output);
      }
    } finally {
      this.#feeding = false;
    }
    this.#arm();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#closed || this.#options.manual !== undefined) return;
    const due = this.#raw.nextTimeout();
    if (due === undefined) return;
    const span = Math.min(Math.max(due - this.now(), 0), LONGEST_TIMER);
    this.#timer = setTimeout(() => this.#feed({ type: "timeReached" }), span);
    // An idle engine must not keep a Node process alive.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  #carry(output: EngineOutput): void {
    if (output.type === "modelAsked") return void this.#ask(output);
    if (output.type === "workerAsked") return void this.#decide(output);
    const sink = this.#sinks.get(output.id);
    if (!sink) return;
    switch (output.type) {
      case "response":
        this.#sinks.delete(output.id);
        sink.head(output.status, output.headers);
        sink.write(bytesOf(output));
        return sink.end();
      case "streamOpened":
        return sink.head(200, output.headers);
      case "streamBytes":
        return sink.write(bytesOf(output));
      case "streamEnded":
        this.#sinks.delete(output.id);
        return sink.end();
      case "connectionLost":
        this.#sinks.delete(output.id);
        return sink.lose();
    }
  }

  async #ask(asked: Extract<EngineOutput, { type: "modelAsked" }>): Promise<void> {
    const { type: _type, call, stream, ...request } = asked;
    let reply: ModelReply;
    try {
      if (!this.#options.model) throw new Error("nobody answers model requests here");
      reply = await this.#options.model(request, (delta) => {
        if (stream) this.#feed({ type: "modelDelta", call, delta });
      });
    } catch (error) {
      reply = { error: { message: messageOf(error) } };
    }
    this.#feed({ type: "modelReplied", call, reply });
  }

  async #decide({ decision, attempt, request }: Extract<EngineOutput, { type: "workerAsked" }>): Promise<void> {
    let input: Input;
    try {
      if (!this.#options.worker) throw new Error("nobody decides here");
      const response = await this.#options.worker(request, this.#over.signal);
      input = { type: "workerReplied", decision, attempt, response };
    } catch (error) {
      input = { type: "workerFailed", decision, attempt, message: messageOf(error) };
    }
    this.#feed(input);
  }
}

function bytesOf(output: { text?: string; base64?: string }): Uint8Array<ArrayBuffer> {
  if (output.base64 === undefined) return new TextEncoder().encode(output.text ?? "");
  return Uint8Array.from(atob(output.base64), (unit) => unit.charCodeAt(0));
}
