/**
 * The object people hold. It passes what they say to the machine and what the machine tells to them;
 * every timer, retry and table of calls is the machine's. Nothing a server sends makes a method throw:
 * only misuse does, and use after `close()`.
 */
import { Dispatcher } from "./dispatch.js";
import { type ListenOptions, type Unsubscribe, guard } from "./emitter.js";
import { PagehandError, messageOf } from "./errors.js";
import type { ConnectionState, EventOf, EventType, PendingCall } from "./events.js";
import { runtimeFile } from "./files.js";
import { runHandler } from "./handler.js";
import { makeHost } from "./host.js";
import { randomId, randomSeed } from "./ids.js";
import type { JsonSchema } from "./infer.js";
import { type Invocation, failedInvocation } from "./invoke.js";
import type { MaybePromise, WasmSource } from "./load.js";
import { type RuntimeOptions, type Settled, validateOptions } from "./options.js";
import { Registry, prepareAtIdle, specOf } from "./registry.js";
import { toJsonText } from "./serialise.js";
import { type Tool, isTool, watchTools } from "./tool.js";
import { Turn } from "./turn.js";
import type { RawRuntime } from "./wasm/runtime.js";

/** A tool as an engine's configuration lists it. */
export interface AgentTool {
  name: string;
  description?: string;
  input?: JsonSchema;
  output?: JsonSchema;
  handler: "client";
}

/** Options of {@link Runtime.send}. */
export interface SendOptions {
  /** Whether the message may wait behind a running turn. @defaultValue `false` */
  queue?: boolean | undefined;
}

/** Loads the runtime's WASM file ahead of its first use, or from an address of your own. */
export async function init(source?: MaybePromise<WasmSource>): Promise<void> {
  await runtimeFile.load(source);
}

/** Makes a runtime. Rejects with `invalid-options` over options, or with a load error. */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const settled = validateOptions(options);
  for (const name of ["Request", "Response", "Headers", "AbortController", "ReadableStream"]) {
    if (!(name in globalThis)) throw new PagehandError("unsupported-environment", `there is no ${name} here`);
  }
  const { RawRuntime: Raw } = await runtimeFile.load(settled.wasm);
  return new Runtime(settled, Raw);
}

/** One runtime: a session with an engine, and the tools of this page. */
export class Runtime implements AsyncDisposable {
  /** The session. */
  readonly sessionId: string;
  readonly #raw: RawRuntime;
  readonly #registry = new Registry();
  readonly #dispatcher: Dispatcher;
  readonly #canAsk: boolean;
  readonly #now: () => number;
  readonly #unwatch: Unsubscribe;
  #interest = "";
  #over: PagehandError | undefined;

  /** @internal */
  constructor(options: Settled, Raw: new (config: string, host: ReturnType<typeof makeHost>) => RawRuntime) {
    const numbers = options.numbers ?? "exact";
    this.sessionId = options.session ?? randomId();
    this.#canAsk = options.onApproval !== undefined;
    this.#now = options.now ?? (() => performance.timeOrigin + performance.now());
    this.#dispatcher = new Dispatcher(this.#registry, numbers, () => this.#tellInterest());
    const registry = this.#registry;
    const parts = { registry, numbers, stash: this.#dispatcher.stash, progressed: this.#progressed.bind(this) };
    const host = makeHost({
      options,
      numbers,
      registry,
      now: this.#now,
      complain: (name, cause) => this.#warn("invalid-tool", `a callback of tool "${name}" threw: ${messageOf(cause)}`),
      invoke: (...run) => runHandler(parts, ...run),
      events: (batch) => this.#dispatcher.take(batch),
      panicked: (message) => this.#trapped(message),
    });
    const config = {
      ...options.tuning,
      engine: options.engine,
      agent: options.agent,
      sessionId: this.sessionId,
      fresh: options.session === undefined,
      seed: randomSeed(),
    };
    this.#raw = new Raw(JSON.stringify(config), host);
    this.#unwatch = watchTools(() => this.#tellInterest());
    for (const tool of options.tools ?? []) this.register(tool);
  }

  /** Adds a tool until the signal aborts or the function it returns is called. */
  register(tool: Tool, options: { signal?: AbortSignal | undefined } = {}): Unsubscribe {
    this.#alive();
    if (!isTool(tool)) throw new PagehandError("invalid-tool", "only what tool() made can be registered");
    const { signal } = options;
    if (signal?.aborted) return () => undefined;
    const letGo = this.#registry.hold(
      tool,
      () => this.#call((raw) => raw.registerTool(specOf(tool, this.#canAsk))),
      () => this.#call((raw) => raw.unregisterTool(tool.name)),
    );
    const release = () => {
      signal?.removeEventListener("abort", release);
      letGo();
      this.#tellInterest();
    };
    signal?.addEventListener("abort", release, { once: true });
    this.#tellInterest();
    prepareAtIdle(tool, ({ direction, message }) => {
      this.#warn("invalid-schema", `the ${direction} schema of tool "${tool.name}": ${message}`);
    });
    return release;
  }

  /** Sends a user message, which opens a turn. */
  send(text: string, options: SendOptions = {}): Turn {
    this.#alive();
    if (typeof text !== "string" || text === "") throw new PagehandError("invalid-options", "text must be a message");
    const turn = new Turn(randomId(), this.sessionId, this.#now);
    this.#dispatcher.follow(turn);
    this.#call((raw) => raw.send(turn.id, randomId(), text, options.queue === true));
    return turn;
  }

  /** Runs a registered tool without a model. Never rejects. */
  async invoke(name: string, input?: unknown): Promise<Invocation> {
    if (this.#over) return failedInvocation(String(name), this.#over);
    let text: string;
    try {
      text = toJsonText(input ?? {});
    } catch (cause) {
      return failedInvocation(String(name), new PagehandError("malformed-arguments", messageOf(cause), { cause }));
    }
    const callId = randomId();
    const ended = this.#dispatcher.waitFor(callId);
    this.#call((raw) => raw.invokeTool(callId, String(name), text));
    return ended;
  }

  /** Opens the session's stream without sending anything. */
  attach(): void {
    this.#alive();
    this.#call((raw) => raw.attach());
  }

  /** Says that what failed may work now: the user logged in again, say. */
  wake(): void {
    this.#alive();
    this.#call((raw) => raw.wake());
  }

  /** Listens to a kind of event. */
  on<Type extends EventType>(type: Type, listener: (event: EventOf<Type>) => void, options?: ListenOptions): Unsubscribe {
    return this.#dispatcher.emitter.on(type, listener, options);
  }

  /** The calls that are open. */
  get pending(): PendingCall[] {
    return this.#over ? [] : (JSON.parse(this.#raw.pending()) as PendingCall[]);
  }

  /** The stream's state, or that the runtime is closed. */
  get state(): ConnectionState | "closed" {
    return this.#over ? "closed" : (this.#raw.state() as ConnectionState);
  }

  /** The registered tools as an engine's configuration lists them. */
  declarations(): AgentTool[] {
    this.#alive();
    return JSON.parse(this.#raw.declarations()) as AgentTool[];
  }

  /** Ends it: running handlers are told to stop, open turns end as cancelled, nothing is told afterwards. */
  async close(): Promise<void> {
    if (this.#over) return;
    this.#call((raw) => raw.close());
    // Called from inside a callback, the machine is closed only when the stack has unwound.
    await Promise.resolve();
    this.#end(new PagehandError("closed", "the runtime was closed"));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #alive(): void {
    if (this.#over) throw new PagehandError(this.#over.code, this.#over.message);
  }

  /** Runs something on the machine. A trap here is the end of this runtime, not an exception for the caller. */
  #call(run: (raw: RawRuntime) => void): void {
    if (this.#over) return;
    try {
      run(this.#raw);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      this.#trapped(messageOf(error));
    }
  }

  #tellInterest(): void {
    // The constructor registers tools before there is anything to tell.
    if (this.#over) return;
    const interest = this.#dispatcher.interest();
    if (interest === this.#interest) return;
    this.#interest = interest;
    this.#call((raw) => raw.setInterest(interest));
  }

  #progressed(invocation: number, event: EventOf<"tool.progress">): void {
    if (this.#over) return;
    this.#call((raw) => raw.progress(invocation));
    this.#dispatcher.emit(event);
  }

  #warn(code: EventOf<"warning">["code"], message: string): void {
    if (this.#over) return;
    if (!this.#dispatcher.emitter.kinds().includes("warning")) console.warn(`pagehand: ${message}`);
    this.#dispatcher.emit({ type: "warning", code, message, count: 1 });
  }

  /** The module is dead. Called from inside its panic hook, so it must not call back into it. */
  #trapped(message: string): void {
    if (this.#over) return;
    const error = new PagehandError("wasm-trapped", `the WASM module trapped: ${message}`);
    this.#over = error;
    queueMicrotask(() => {
      guard(() => this.#dispatcher.emit({ type: "fatal", code: "wasm-trapped", message: error.message }));
      this.#finish(error);
    });
  }

  #end(error: PagehandError): void {
    if (this.#over) return;
    this.#over = error;
    this.#finish(error);
    this.#raw.free();
  }

  #finish(error: PagehandError): void {
    this.#dispatcher.abandon(error);
    this.#dispatcher.emitter.clear();
    this.#registry.clear();
    this.#unwatch();
  }
}
