/**
 * The pages of one session among each other. The owner tells the others what it does, and runs the tools
 * that only another page has by asking that page: to its machine such a tool is one of its own.
 * Messages come from this origin's own pages, of this version or another: what makes no sense is passed over.
 */
import { anId, wordsOf } from "./apart.js";
import type { ProgressEvent } from "./events.js";
import type { Host } from "./host.js";
import type { LifeParts, ToolSpec } from "./life.js";
import { locksHere } from "./ownership.js";

type Asked = "check" | "repair" | "consent" | "invoke";

type Message =
  /** Somebody came, or became the owner: say what tools you have. */
  | { type: "hello" }
  | { type: "tools"; specs: ToolSpec[] }
  | { type: "bye" }
  /** What the owner's machine told. */
  | { type: "events"; batch: string }
  /** Do this with a tool of yours. */
  | { type: "ask"; to: string; id: number; method: Asked; args: unknown[] }
  | { type: "stop"; to: string; id: number; reason: string }
  /** The tool that was asked to run is alive. */
  | { type: "progress"; to: string; id: number; event: ProgressEvent }
  | { type: "answer"; to: string; id: number; value?: unknown; error?: string };

/** What this page asked of another. */
interface Waiting {
  settle(answer: { value?: unknown; error?: string }): void;
  invocation: number;
}

/** What this page does for another. */
interface Running {
  run: AbortController;
  from: string;
  id: number;
  callId: unknown;
  attempt: unknown;
}

/** What the owner tells the others. */
const SHARED = ["call", "agent.tool.calling", "agent.tool.called", "agent.tool.failed", "delivery", "tool.finished"];
const MENTIONED = new RegExp(`"type":"(${SHARED.join("|").replaceAll(".", "\\.")})"`);
/** Where the tool's name is among the arguments of what the driver asks. */
const NAME = { check: 0, repair: 0, consent: 3, invoke: 5 } as const;

/** This page among the pages of its session. @internal */
export class Tabs {
  readonly #parts: LifeParts;
  readonly #me = anId();
  readonly #channel: BroadcastChannel;
  readonly #own: Pick<Host, Asked | "events">;
  readonly #closing = new AbortController();
  /** The other pages' tools. */
  readonly #others = new Map<string, ToolSpec[]>();
  /** Tools of other pages that the machine has: which page runs them. */
  readonly #lent = new Map<string, { tab: string; spec: string }>();
  readonly #waiting = new Map<number, Waiting>();
  readonly #running = new Map<string, Running>();
  #owner = false;
  #asked = 0;

  constructor(parts: LifeParts) {
    this.#parts = parts;
    this.#channel = new BroadcastChannel(parts.name);
    this.#channel.onmessage = ({ data }: MessageEvent<Message & { from: string }>) => {
      try {
        this.#hear(data);
      } catch {
        // A page of another version says things that mean nothing here.
      }
    };
    const { host } = parts;
    const { check, repair, consent, invoke, events } = host;
    this.#own = { check, repair, consent, invoke, events };
    const ask = (method: Asked) => (...args: unknown[]) => {
      const tab = this.#lent.get(args[NAME[method]] as string)?.tab;
      return tab === undefined ? (this.#own[method] as (...args: unknown[]) => unknown)(...args) : this.#ask(tab, method, args);
    };
    for (const method of Object.keys(NAME) as Asked[]) (host as unknown as Record<Asked, unknown>)[method] = ask(method);
    host.events = (batch) => {
      events(batch);
      if (this.#owner && this.#others.size > 0 && MENTIONED.test(batch)) this.#post({ type: "events", batch });
    };
    const { signal } = this.#closing;
    parts.emitter.on("tool.progress", (event) => this.#progressed(event), { signal });
    this.#beAlive();
    this.#post({ type: "hello" });
    this.toolsChanged();
  }

  /** This page runs the session's calls from now on, or no more. */
  own(owner: boolean): void {
    this.#owner = owner;
    if (owner) this.#post({ type: "hello" });
    this.#lend();
  }

  /** The tools of this page are others now. */
  toolsChanged(): void {
    // What the page has itself replaced what was lent.
    for (const { name } of this.#parts.specs()) this.#lent.delete(name);
    this.#lend();
    this.#post({ type: "tools", specs: this.#parts.specs() });
  }

  /** The machine is a new one that has no tool of another page yet. */
  forget(): void {
    this.#lent.clear();
    this.#lend();
  }

  close(): void {
    this.#post({ type: "bye" });
    this.own(false);
    this.#others.clear();
    Object.assign(this.#parts.host, this.#own);
    this.#closing.abort();
    this.#channel.close();
    for (const { run } of this.#running.values()) run.abort();
  }

  #post(message: Message): void {
    this.#channel.postMessage({ ...message, from: this.#me });
  }

  #hear(message: Message & { from: string }): void {
    const { from } = message;
    if (message.type === "hello") {
      this.#meet(from);
      this.#post({ type: "tools", specs: this.#parts.specs() });
    } else if (message.type === "tools") {
      this.#meet(from);
      this.#others.set(from, message.specs);
      this.#lend();
    } else if (message.type === "bye") this.#gone(from);
    else if (message.type === "events") this.#retell(message.batch);
    else if (message.to !== this.#me) return;
    else if (message.type === "ask") void this.#answer(from, message);
    else if (message.type === "stop") this.#running.get(`${from} ${message.id}`)?.run.abort(new DOMException(message.reason, "AbortError"));
    else if (message.type === "answer") {
      this.#waiting.get(message.id)?.settle(message);
      this.#waiting.delete(message.id);
    } else if (message.type === "progress") {
      const invocation = this.#waiting.get(message.id)?.invocation;
      if (invocation === undefined) return;
      this.#parts.call((raw) => raw.progress(invocation));
      this.#parts.emit(message.event);
    }
  }

  /** Notices a page, and when it dies: it holds a lock that the browser then frees. */
  #meet(tab: string): void {
    if (this.#others.has(tab)) return;
    this.#others.set(tab, []);
    this.#lend();
    const { signal } = this.#closing;
    locksHere()?.request(`pagehand-tab:${tab}`, { signal }, () => this.#gone(tab)).catch(() => undefined);
  }

  #beAlive(): void {
    const over = new Promise<void>((resolve) => this.#closing.signal.addEventListener("abort", () => resolve()));
    locksHere()?.request(`pagehand-tab:${this.#me}`, () => over).catch(() => undefined);
  }

  #gone(tab: string): void {
    this.#others.delete(tab);
    for (const { from, run } of this.#running.values()) if (from === tab) run.abort();
    this.#lend();
  }

  /** Brings the machine's list of lent tools up to date. */
  #lend(): void {
    const { call, specs, alsoTell } = this.#parts;
    alsoTell(this.#owner && this.#others.size > 0 ? SHARED : []);
    const wanted = new Map<string, { tab: string; spec: ToolSpec }>();
    if (this.#owner) {
      const own = new Set(specs().map(({ name }) => name));
      for (const [tab, offered] of this.#others) {
        for (const spec of offered) if (!own.has(spec.name) && !wanted.has(spec.name)) wanted.set(spec.name, { tab, spec });
      }
    }
    for (const name of [...this.#lent.keys()]) {
      if (!wanted.has(name) && this.#lent.delete(name)) call((raw) => raw.unregisterTool(name));
    }
    for (const [name, { tab, spec }] of wanted) {
      const known = this.#lent.get(name);
      const text = JSON.stringify(spec);
      if (known?.tab === tab && known.spec === text) continue;
      // A page that runs its calls is gone: they end before another page lends the same tool.
      if (known && known.tab !== tab) call((raw) => raw.unregisterTool(name));
      this.#lent.set(name, { tab, spec: text });
      call((raw) => raw.registerTool(spec));
    }
  }

  #ask(tab: string, method: Asked, args: unknown[]): Promise<unknown> {
    const id = ++this.#asked;
    const signal = args.at(-1);
    const stop = () => {
      const reason = wordsOf((signal as AbortSignal).reason);
      this.#post({ type: "stop", to: tab, id, reason });
    };
    const sent = args.filter((one) => !(one instanceof AbortSignal));
    if (signal instanceof AbortSignal) signal.addEventListener("abort", stop, { once: true });
    return new Promise((resolve, reject) => {
      const settle: Waiting["settle"] = ({ value, error }) => (error === undefined ? resolve(value) : reject(new Error(error)));
      this.#waiting.set(id, { settle, invocation: Number(args[0]) });
      this.#post({ type: "ask", to: tab, id, method, args: sent });
    });
  }

  async #answer(from: string, { id, method, args }: Extract<Message, { type: "ask" }>): Promise<void> {
    if (!(method in NAME)) return;
    const key = `${from} ${id}`;
    const run = new AbortController();
    // Both start with the call's key, the one after the number of the run.
    const [callId, attempt] = args.slice(method === "invoke" ? 2 : 1);
    this.#running.set(key, { run, from, id, callId, attempt });
    // The number of a run means something to the machine that gave it, and is no number of ours.
    const own = method === "invoke" ? [0, ...args.slice(1)] : args;
    const signals = method === "invoke" || method === "consent" ? [run.signal] : [];
    try {
      const value = await (this.#own[method] as (...args: unknown[]) => Promise<unknown>)(...own, ...signals);
      this.#post({ type: "answer", to: from, id, value: plain(value) });
    } catch (error) {
      this.#post({ type: "answer", to: from, id, error: wordsOf(error) });
    }
    this.#running.delete(key);
  }

  #progressed(event: ProgressEvent): void {
    for (const { from, id, callId, attempt } of this.#running.values()) {
      if (event.callId !== callId || event.attempt !== attempt) continue;
      try {
        this.#post({ type: "progress", to: from, id, event });
      } catch {
        // The sign of life counts, whatever its value is.
        this.#post({ type: "progress", to: from, id, event: { ...event, value: undefined } });
      }
    }
  }

  /** Tells this page's listeners what the owner's machine told. */
  #retell(batch: string): void {
    if (this.#owner) return;
    for (const event of this.#parts.read(batch)) {
      // The owner's own runs of tools without a model are nobody else's business.
      if (!SHARED.includes(event.type) || ("sessionId" in event && event.sessionId === "")) continue;
      this.#parts.emit(Object.assign(event, { remote: true }));
    }
  }
}

/** A verdict may hold the thing a validator threw, which need not travel. */
function plain(value: unknown): unknown {
  return typeof value === "object" && value !== null && "cause" in value ? { ...value, cause: undefined } : value;
}
