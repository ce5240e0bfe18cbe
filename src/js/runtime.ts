/**
 * The object people hold. It passes what they say to the machine and what the machine tells to them;
 * every timer, retry and table of calls is the machine's. Nothing a server sends makes a method throw:
 * only misuse does, and use after `close()`.
 */
import { type Artifacts, finalized } from "./artifacts.js";
import type { Question } from "./ask/question.js";
import { Dispatcher } from "./dispatch.js";
import { type ListenOptions, type Unsubscribe, guard } from "./emitter.js";
import { PagehandError, messageOf } from "./errors.js";
import type { ConnectionState, EventOf, EventType, Interrupt, PendingCall, RuntimeEvent } from "./events.js";
import { runtimeFile } from "./files.js";
import { given } from "./given.js";
import { makeHost } from "./host.js";
import { randomId, randomSeed } from "./ids.js";
import type { AnySchema, ArtifactsOf, JsonSchema } from "./infer.js";
import { type Invocation, failedInvocation } from "./invoke.js";
import type { Life } from "./life.js";
import type { MaybePromise, WasmSource } from "./load.js";
import type { Machine, MachineHooks, Machines } from "./machines.js";
import { type RuntimeOptions, type Settled, validateOptions } from "./options.js";
import { Registry, fetchChecker, prepareAtIdle, specOf } from "./registry.js";
import { type Numbers, parseJson } from "./parse.js";
import type { Serialised } from "./serialise.js";
import { type Chosen, chooseSession } from "./session.js";
import type { RunParts } from "./stash.js";
import { type Tool, isTool, watchTools } from "./tool.js";
import { Turn, type TurnLinks } from "./turn.js";

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
  /** Whether the message waits behind a running turn; else it is refused while one runs. @defaultValue `true` */
  queue?: boolean | undefined;
  /** Calls the turn off, as {@link Turn.cancel} does. */
  signal?: AbortSignal | undefined;
}

/** Options of {@link Runtime.invoke}. */
export interface InvokeOptions {
  /** Calls it off. */
  signal?: AbortSignal | undefined;
  /** Awaited once nothing else is in the way of the run; its clock stands still meanwhile. @internal */
  before?: () => Promise<void>;
  /** Takes the result as it travels: what can be read but once is not read again. @internal */
  sent?: (result: Serialised) => void;
  /** Takes what is to run once the answer is out. @internal */
  later?: (run: () => unknown) => void;
}

/** Options of {@link Runtime.resume}. */
export interface ResumeOptions {
  /**
   * Whether the person refuses what is asked, instead of answering it. Over AG-UI the server is told so; the other
   * transports have no word for it, so say it by the payload. @defaultValue `false`
   */
  cancelled?: boolean | undefined;
}

/** Loads the runtime's WASM file ahead of its first use, or from an address of your own. The one for AG-UI is another. */
export async function init(source?: MaybePromise<WasmSource>): Promise<void> {
  await runtimeFile.load(source);
}

/** Makes a runtime. Rejects with `invalid-options` over options, or with a load error. */
export async function createRuntime<const A extends AnySchema | undefined = undefined>(options: RuntimeOptions<A>): Promise<Runtime<ArtifactsOf<A>>> {
  const checked = validateOptions(options as unknown as RuntimeOptions);
  for (const name of ["Request", "Response", "Headers", "AbortController", "ReadableStream"]) {
    if (!(name in globalThis)) throw new PagehandError("unsupported-environment", `there is no ${name} here`);
  }
  // Fetched beside the module, and not waited for.
  const life = import("./life.js");
  for (const later of [life, import("./handler.js"), fetchChecker(checked.tools)]) later.catch(() => undefined);
  const [settled, machines] = checked.transport === "ag-ui" ? await agUi(checked) : [checked, await runtimeFile.load(checked.wasm)];
  return new Runtime(settled, machines, life);
}

async function agUi(options: Settled): Promise<[Settled, Machines]> {
  const { overAgUi } = await import("./ag-ui.js").catch((cause: unknown) => {
    throw new PagehandError("wasm-load-failed", `the AG-UI part could not be loaded: ${messageOf(cause)}`, { cause });
  });
  return overAgUi(given, options);
}

/** A module that traps again within this span is not made anew once more. */
const TRAP_PAUSE = 10_000;

/** One runtime: a session with an engine, and the tools of this page. */
export class Runtime<Bag = Artifacts> implements AsyncDisposable {
  /** The session. */
  readonly sessionId: string;
  /** What `pagehand/webmcp` needs: the tools, to hear when they may be others or all is over, and a say in warnings. @internal */
  readonly inside = {
    tools: () => this.#registry.tools(),
    changed: new Set<() => void>(),
    warn: (code: EventOf<"warning">["code"], message: string) => this.#warn(code, message),
  };
  /** The questions that nobody has answered yet, in the order they were asked. */
  readonly questions: ReadonlySet<Question> = new Set();
  readonly #grants = new Map<string, number>();
  readonly #session: Chosen;
  readonly #life: Promise<Life | undefined>;
  readonly #build: (fresh: boolean) => Machine;
  readonly #machines: Machines;
  readonly #onTrap = (message: string) => this.#trapped(message);
  #raw: Machine;
  readonly #registry = new Registry();
  readonly #dispatcher: Dispatcher;
  readonly #policed: boolean;
  readonly #numbers: Numbers;
  readonly #links: TurnLinks;
  readonly #unwatch: Unsubscribe;
  #interest = "";
  #alsoTell: readonly string[] = [];
  #wantsStream = false;
  #announcing = false;
  #trappedAt = -TRAP_PAUSE;
  #dead = false;
  #over: PagehandError | undefined;

  /** @internal */
  constructor(options: Settled, machines: Machines, life: Promise<typeof import("./life.js")>) {
    this.#machines = machines;
    const numbers = (this.#numbers = options.numbers ?? "exact");
    this.#session = chooseSession(options.session ?? "resume", options.engine, options.agent);
    this.sessionId = this.#session.id;
    this.#policed = options.policy !== undefined;
    const now = options.now ?? (() => performance.timeOrigin + performance.now());
    const warnOfMerge = (message: string) => this.#warn("invalid-options", message);
    this.#dispatcher = new Dispatcher(this.#registry, numbers, () => this.#tellInterest(), (bags, turn) => finalized(bags, turn, options.finalizeArtifacts, warnOfMerge));
    this.#links = {
      now,
      artifacts: (turnId) => this.#dispatcher.artifacts(turnId),
      interrupts: (turnId) => this.interrupts.filter((one) => one.turnId === turnId),
      cancel: (turnId, reason) => this.#call((raw) => raw.cancelTurn(turnId, reason)),
    };
    const registry = this.#registry;
    const parts: RunParts = {
      registry,
      numbers,
      dispatcher: this.#dispatcher,
      progressed: this.#progressed.bind(this),
      options,
      questions: this.questions as Set<Question>,
      call: (run) => this.#call(run),
    };
    const host = makeHost({
      ...parts,
      now,
      grants: this.#grants,
      complain: (name, cause, issues) => {
        const { stash } = this.#dispatcher;
        if (issues) stash.of(stash.ofValidator(name, issues)).cause = cause;
        this.#warn("invalid-tool", `a callback of tool "${name}" threw: ${messageOf(cause)}`);
      },
      invoke: async (...run) => (await import("./handler.js")).runHandler(given, parts, ...run),
      events: (batch) => this.#dispatcher.take(batch),
      panicked: (message) => this.#trapAll(message),
    });
    const hooks: MachineHooks = {
      dispatcher: this.#dispatcher,
      call: parts.call,
      warn: (code, message) => this.#warn(code, message),
      refused: this.#session.forget,
    };
    const { engine, agent, transport } = options;
    this.#build = (fresh) => {
      const config = { ...options.tuning, engine, agent, transport, sessionId: this.sessionId, fresh, seed: randomSeed(), owner: false, stores: true };
      return new machines.RawRuntime(config, host, hooks);
    };
    this.#raw = this.#build(this.#session.fresh);
    this.#unwatch = watchTools(() => this.#tellInterest());
    try {
      for (const tool of options.tools ?? []) this.register(tool);
    } catch (error) {
      this.#session.leave();
      throw error;
    }
    machines.running.add(this.#onTrap);
    this.#life = life
      .then(
        ({ Life }) =>
          new Life({
            ...hooks,
            runtime: this,
            emitter: this.#dispatcher.emitter,
            sessionId: this.sessionId,
            name: `pagehand ${engine} ${this.sessionId}`,
            storage: options.storage,
            host,
            specs: () => registry.tools().map((one) => specOf(one, this.#policed)),
            emit: (event) => this.#over ?? this.#dispatcher.emit(event),
            read: (batch) => parseJson(batch, numbers) as RuntimeEvent[],
            alsoTell: (kinds) => {
              this.#alsoTell = kinds;
              this.#tellInterest();
            },
          }),
      )
      .catch(() => {
        // Without its other half the runtime serves this page alone and keeps nothing, of which the machine warns.
        host.persist = async () => "failed";
        this.#call((raw) => raw.gainOwnership([]));
        return undefined;
      });
    // A session that others know may have calls that wait for this page.
    if (!this.#session.fresh) this.attach();
  }

  /** Adds a tool until the signal aborts or the function it returns is called. */
  register(tool: Tool, options: { signal?: AbortSignal | undefined } = {}): Unsubscribe {
    this.#alive();
    if (!isTool(tool)) throw new PagehandError("invalid-tool", "only what tool() made can be registered");
    const { signal } = options;
    if (signal?.aborted) return () => undefined;
    const letGo = this.#registry.hold(
      tool,
      () => this.#call((raw) => raw.registerTool(specOf(tool, this.#policed))),
      () => this.#call((raw) => raw.unregisterTool(tool.name)),
    );
    const release = () => {
      signal?.removeEventListener("abort", release);
      letGo();
      this.#tellInterest();
      this.#announce();
    };
    signal?.addEventListener("abort", release, { once: true });
    this.#tellInterest();
    this.#announce();
    prepareAtIdle(tool, ({ direction, message }) => {
      this.#warn("invalid-schema", `the ${direction} schema of tool "${tool.name}": ${message}`);
    });
    return release;
  }

  /** Sends a user message, which opens a turn. */
  send(text: string, options: SendOptions = {}): Turn<Bag> {
    this.#alive();
    if (typeof text !== "string" || text === "") throw new PagehandError("invalid-options", "text must be text");
    const { queue, signal } = options ?? {};
    const turn = new Turn<Bag>(randomId(), this.sessionId, this.#links);
    const stop = () => turn.cancel(messageOf(signal?.reason));
    // First of all: what is no signal throws here.
    signal?.addEventListener("abort", stop);
    this.#dispatcher.follow(turn as unknown as Turn);
    if (signal?.aborted) {
      // Nothing was begun, so there is nothing to call off.
      const error = { code: "cancelled", message: messageOf(signal.reason) };
      this.#dispatcher.emit({ type: "turn.finished", turnId: turn.id, status: "cancelled", text: "", error, children: [] });
      return turn;
    }
    void turn.finished.then(() => signal?.removeEventListener("abort", stop));
    this.#wantsStream = true;
    this.#call((raw) => raw.send(turn.id, randomId(), text, queue !== false));
    return turn;
  }

  /** Runs a registered tool without a model. The signal calls it off. Never rejects. */
  async invoke(name: string, input?: unknown, options?: InvokeOptions): Promise<Invocation> {
    if (typeof name !== "string") return failedInvocation("", new PagehandError("invalid-options", "name must be a tool's name"));
    if (this.#over) return failedInvocation(name, this.#over);
    let text: string;
    try {
      text = (await import("./serialise.js")).toJsonText(input ?? {}, messageOf);
    } catch (cause) {
      return failedInvocation(name, new PagehandError("malformed-arguments", messageOf(cause), { cause }));
    }
    // Closed, perhaps, while that was loading.
    if (this.#over) return failedInvocation(name, this.#over);
    const callId = randomId();
    if (options?.signal) this.#dispatcher.stash.of({ sessionId: "", callId, attempt: 0 }).caller = options;
    const ended = this.#dispatcher.waitFor(callId);
    this.#call((raw) => raw.invokeTool(callId, name, text));
    return ended;
  }

  /** What sessions wait for now. */
  get interrupts(): Interrupt[] {
    return parseJson(this.#call((raw) => raw.interrupts()) ?? "[]", this.#numbers) as Interrupt[];
  }

  /**
   * Resumes what waits at an interrupt. Resolves once the engine's stream says that it goes on, or with why it does
   * not. Rejects only when the runtime is closed.
   */
  async resume(interruptId: string, payload?: unknown, options?: ResumeOptions): Promise<{ error?: PagehandError }> {
    this.#alive();
    let text: string | undefined;
    try {
      if (typeof interruptId !== "string") throw new TypeError("interruptId must be the id of an interrupt");
      if (payload !== undefined) text = (await import("./serialise.js")).toJsonText(payload, messageOf);
    } catch (cause) {
      return { error: new PagehandError("invalid-options", messageOf(cause), { cause }) };
    }
    if (this.#over) return { error: this.#over };
    const ended = this.#dispatcher.waitForResume(interruptId);
    this.#call((raw) => raw.answerInterrupt(interruptId, text, options?.cancelled === true));
    const problem = await ended;
    return problem ? { error: new PagehandError(problem.code, problem.message) } : {};
  }

  /** The state that the agent shares with the page, as it was told or set last. Over AG-UI alone. */
  get agentState(): unknown {
    return this.#dispatcher.agentState;
  }

  /** Changes that state, of which the agent hears with the next run. Throws over what JSON cannot hold. */
  setAgentState(state: unknown): void {
    this.#alive();
    if (!this.#raw.setAgentState) throw new PagehandError("invalid-options", 'only the "ag-ui" transport has an agent\'s state');
    this.#raw.setAgentState(state);
  }

  /** Opens the session's stream without sending anything. */
  attach(): void {
    this.#alive();
    this.#wantsStream = true;
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
    return JSON.parse(this.#call((raw) => raw.pending()) ?? "[]") as PendingCall[];
  }

  /** The stream's state, or that the runtime is closed. */
  get state(): ConnectionState | "closed" {
    return this.#over ? "closed" : ((this.#call((raw) => raw.state()) ?? "idle") as ConnectionState);
  }

  /** The registered tools as an engine's configuration lists them. */
  declarations(): AgentTool[] {
    this.#alive();
    return JSON.parse(this.#call((raw) => raw.declarations()) ?? "[]") as AgentTool[];
  }

  /** Forgets every stored call and answer, what a yes still covers, and this tab's session: at log-out, say. */
  async clear(): Promise<void> {
    this.#session.forget();
    this.#grants.clear();
    await (await this.#life)?.clear();
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

  /** Asks something of the machine, if it lives. A trap here is the end of its module, not an exception for the caller. */
  #call<T>(run: (raw: Machine) => T): T | undefined {
    if (this.#over || this.#dead) return;
    try {
      return run(this.#raw);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      this.#trapAll(messageOf(error));
      return;
    }
  }

  /** Tells the other pages what tools there are now, once for many changes. */
  #announce(): void {
    if (this.#announcing || this.#over) return;
    this.#announcing = true;
    queueMicrotask(async () => {
      const life = await this.#life;
      this.#announcing = false;
      life?.toolsChanged();
      this.inside.changed.forEach(guard);
    });
  }

  #tellInterest(): void {
    // The constructor registers tools before there is anything to tell.
    if (this.#over) return;
    const interest = [this.#dispatcher.interest(), ...this.#alsoTell].join();
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

  /** Tells every runtime of this module that it is dead: those of another file go on. */
  #trapAll(message: string): void {
    for (const trapped of this.#machines.running) trapped(message);
  }

  /** The module is dead. Called from inside its panic hook, so nothing may call back into it before the stack is gone. */
  #trapped(message: string): void {
    if (this.#over || this.#dead) return;
    this.#dead = true;
    const error = new PagehandError("wasm-trapped", `the WASM module trapped: ${message}`);
    const again = performance.now() - this.#trappedAt < TRAP_PAUSE;
    this.#trappedAt = performance.now();
    queueMicrotask(() => {
      if (this.#over) return;
      // The new machine asks anew what it still has to know.
      for (const question of this.questions) question.decline();
      try {
        this.#machines.renew();
        if (again) throw error;
        this.#renew();
      } catch {
        this.#over = error;
      }
      guard(() => this.#dispatcher.emit({ type: "fatal", code: "wasm-trapped", message: error.message }));
      if (this.#over) this.#finish(error);
      else this.#dispatcher.abandon(error);
    });
  }

  /** Goes on with a fresh module. The dead machine is let go of as it is: its memory is nobody's any more. */
  #renew(): void {
    this.#raw = this.#build(false);
    this.#dead = false;
    this.#interest = "";
    for (const one of this.#registry.tools()) this.#call((raw) => raw.registerTool(specOf(one, this.#policed)));
    this.#tellInterest();
    if (this.#wantsStream) this.#call((raw) => raw.attach());
    void this.#life.then((life) => (life ? life.reborn() : this.#call((raw) => raw.gainOwnership([]))));
  }

  #end(error: PagehandError): void {
    if (this.#over) return;
    const dead = this.#dead;
    this.#over = error;
    this.#finish(error);
    if (!dead) this.#raw.free();
  }

  #finish(error: PagehandError): void {
    this.#dispatcher.abandon(error);
    this.#dispatcher.emitter.clear();
    this.#registry.clear();
    this.inside.changed.forEach(guard);
    this.#unwatch();
    this.#machines.running.delete(this.#onTrap);
    this.#session.leave();
    void this.#life.then((life) => life?.close());
  }
}
