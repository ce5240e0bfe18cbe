/**
 * The life of a session beyond one page: who runs its calls, what is kept of them, and what happens when
 * the page sleeps, wakes, leaves or traps. Fetched beside the runtime, which watches until it is there.
 * It decides about pages and storage alone; what becomes of a call, the machine decides.
 */
import type { ErrorCode } from "./codes.js";
import { wordsOf } from "./apart.js";
import type { Emitter } from "./emitter.js";
import type { RuntimeEvent } from "./events.js";
import type { Host } from "./host.js";
import { IndexedStore } from "./indexed-store.js";
import { standInLine } from "./ownership.js";
import { FORMAT, type FlatRecord, MemoryStore, type Progress, type Store, type Written, readRecords } from "./store.js";
import type { Tabs } from "./tabs.js";
import type { RawRuntime } from "./wasm/machine.js";

/** A tool as the machine is told of it. @internal */
export type ToolSpec = { name: string } & Record<string, unknown>;

/** What a runtime gives to the life around it. @internal */
export interface LifeParts {
  readonly runtime: object;
  /** What this page's listeners hear. */
  readonly emitter: Emitter<RuntimeEvent>;
  readonly sessionId: string;
  /** What all pages of this session, and no others, call it. */
  readonly name: string;
  readonly storage: "indexeddb" | "memory" | Store | undefined;
  /** Its methods are replaced by ones that know other pages. */
  readonly host: Host;
  /** Does something on the machine, if there is one that is alive. */
  readonly call: (run: (raw: RawRuntime) => void) => void;
  readonly warn: (code: ErrorCode, message: string) => void;
  /** The tools of this page, as the machine is told of them. */
  readonly specs: () => ToolSpec[];
  /** Tells listeners what another page did. */
  readonly emit: (event: RuntimeEvent) => void;
  /** Reads a batch of events. */
  readonly read: (batch: string) => RuntimeEvent[];
  /** Has the machine tell these kinds, whoever listens. */
  readonly alsoTell: (kinds: readonly string[]) => void;
  /** Hears that the engine has no such session for this user. */
  readonly refused: () => void;
}

/** Most bytes that browsers let requests carry beyond the end of their page, all together; with a margin. */
const MAX_KEPT_ALIVE = 60_000;
/** A page fenced again within this span waits that long before it stands in line. */
const PAUSE = 1_000;

/** Traps on purpose, for tests of what becomes of a page whose module does. */
const TRAP = Symbol.for("pagehand.trap");

/** The life of one runtime. @internal */
export class Life {
  readonly #parts: LifeParts;
  readonly #requests = { of: new AbortController() };
  #store: Store;
  /** This page's place among each session's owners, while it is one; none where the store failed to say. */
  #epochs = new Map<string, number | undefined>();
  /** Its place in line for that. */
  #place: { leave: () => void } | undefined;
  #claimedAt = 0;
  #asleep = false;
  #over = false;
  #keptAlive = 0;
  #tabs: Tabs | undefined;
  readonly #listening = new AbortController();

  constructor(parts: LifeParts) {
    this.#parts = parts;
    this.#store = storeFor(parts);
    const { host } = parts;
    const send = host.fetch;
    host.fetch = (request, size = 0) => this.#send(send, request, size);
    host.persist = (text) => {
      const { key, tool, progress } = JSON.parse(text) as { key: Parameters<Life["retire"]>[0]; tool: string; progress: Progress };
      return this.#write(key, tool, progress);
    };
    host.retire = (sessionId, callId, attempt) => this.retire({ sessionId, callId, attempt });
    host.claim = () => this.#claim();
    host.adopt = (sessionId) => this.#adopt(sessionId);
    Object.defineProperty(parts.runtime, TRAP, { value: (later: boolean) => parts.call((raw) => raw.trap(later)) });
    this.#listen();
    this.#stand();
    void this.#meet();
  }

  /** Keeps nothing of a call but that it ended. */
  async retire(key: { sessionId: string; callId: string; attempt: number }): Promise<void> {
    await this.#write(key, "", { state: "ended" });
  }

  async clear(): Promise<void> {
    try {
      sessionStorage.removeItem("pagehand drafts");
    } catch {
      // Where there is no storage, nothing is kept in it.
    }
    await this.#store.clear();
  }

  close(): void {
    this.#over = true;
    this.#listening.abort();
    this.#release();
    this.#closeStore();
  }

  /** A store of somebody else's may throw; nothing here depends on it. */
  #closeStore(): void {
    try {
      this.#store.close();
    } catch (error) {
      this.#parts.warn("store-unavailable", `the store did not close: ${wordsOf(error)}`);
    }
  }

  /** The machine is a new one: it takes the session over from its predecessor, and so do its requests. */
  reborn(): void {
    this.#requests.of.abort();
    this.#requests.of = new AbortController();
    this.#tabs?.forget();
    if (this.#asleep) this.#parts.call((raw) => raw.suspend());
    else if (this.#owns()) void this.#takeOver();
  }

  /** The tools of this page are others now. */
  toolsChanged(): void {
    this.#tabs?.toolsChanged();
  }

  /** Stands in line, unless it does already. */
  #stand(): void {
    if (this.#over || this.#asleep || this.#place) return;
    const place = (this.#place = { leave: () => {} });
    place.leave = standInLine(this.#parts.name, {
      gained: () => void this.#takeOver(),
      lost: () => {
        place.leave();
        this.#place = undefined;
        this.#drop();
        this.#stand();
      },
    });
  }

  /** It is this page's turn. */
  async #takeOver(): Promise<void> {
    const { sessionId, call, warn } = this.#parts;
    const place = this.#place;
    let taken: Awaited<ReturnType<Store["takeOver"]>>;
    try {
      taken = await this.#store.takeOver(sessionId);
      if (typeof taken?.epoch !== "number" || !Array.isArray(taken.records)) throw new TypeError("takeOver() gave no epoch and records");
    } catch (error) {
      warn("store-unavailable", `calls cannot be stored and will not outlive this page: ${wordsOf(error)}`);
      this.#store = memory;
      taken = await this.#store.takeOver(sessionId);
    }
    if (this.#over || this.#asleep || this.#place !== place) return;
    this.#epochs = new Map([[sessionId, taken.epoch]]);
    const records = readRecords(sessionId, taken.records, warn);
    call((raw) => raw.gainOwnership(records));
    this.#tabs?.own(true);
  }

  /** Whether this page runs the session's calls. */
  #owns(): boolean {
    return this.#epochs.has(this.#parts.sessionId);
  }

  /** Takes over the session of a child agent, whose calls whoever owns the root session runs. */
  async #adopt(sessionId: string): Promise<FlatRecord[]> {
    const epochs = this.#epochs;
    if (!this.#owns()) return [];
    const { warn } = this.#parts;
    let taken: Awaited<ReturnType<Store["takeOver"]>> | undefined;
    try {
      taken = await this.#store.takeOver(sessionId);
    } catch (error) {
      warn("store-unavailable", `calls of a child agent cannot be stored and will not outlive this page: ${wordsOf(error)}`);
    }
    // Whoever owns the root by now has adopted it too, or will.
    if (this.#epochs !== epochs) return [];
    epochs.set(sessionId, taken?.epoch);
    return taken ? readRecords(sessionId, taken.records, warn) : [];
  }

  async #write(key: { sessionId: string; callId: string; attempt: number }, tool: string, progress: Progress): Promise<Written> {
    if (!this.#epochs.has(key.sessionId)) return "fenced";
    const epoch = this.#epochs.get(key.sessionId);
    if (epoch === undefined) return "failed";
    try {
      return await this.#store.write(key.sessionId, epoch, { v: FORMAT, key, tool, progress, at: Date.now() });
    } catch {
      return "failed";
    }
  }

  /** The machine found that it had lost the session. */
  #claim(): void {
    const wait = Date.now() - this.#claimedAt < PAUSE ? PAUSE : 0;
    this.#claimedAt = Date.now();
    this.#release();
    setTimeout(() => this.#stand(), wait);
  }

  /** Ends the turn, or leaves the line. */
  #release(): void {
    this.#drop();
    this.#place?.leave();
    this.#place = undefined;
  }

  #drop(): void {
    this.#epochs = new Map();
    this.#tabs?.own(false);
    this.#parts.call((raw) => raw.loseOwnership());
  }

  #listen(): void {
    const { signal } = this.#listening;
    const sleep = () => {
      if (this.#asleep) return;
      this.#asleep = true;
      this.#parts.call((raw) => raw.suspend());
      this.#release();
      // Whatever is open stands in the way of the back-forward cache.
      this.#tabs?.close();
      this.#tabs = undefined;
      this.#closeStore();
    };
    const wake = () => {
      if (!this.#asleep) return;
      this.#asleep = false;
      this.#parts.call((raw) => raw.resume());
      this.#stand();
      void this.#meet();
    };
    globalThis.addEventListener?.("pagehide", sleep, { signal });
    globalThis.addEventListener?.("pageshow", wake, { signal });
    if (typeof document === "undefined") return;
    document.addEventListener("freeze", sleep, { signal });
    document.addEventListener("resume", wake, { signal });
  }

  /** Meets the other pages of the session. */
  async #meet(): Promise<void> {
    if (typeof document === "undefined" || typeof BroadcastChannel === "undefined") return;
    const { Tabs } = await import("./tabs.js");
    if (this.#over || this.#asleep || this.#tabs) return;
    this.#tabs = new Tabs(this.#parts);
    if (this.#owns()) this.#tabs.own(true);
  }

  /** Whether a request is for the stream of the tab's own session, and not for that of a child agent. */
  #isOwnStream({ method, url }: Request): boolean {
    const id = encodeURIComponent(this.#parts.sessionId);
    return method === "GET" && (url.includes(`/sessions/${id}/`) || url.endsWith(`session_id=${id}`));
  }

  /** Sends a request that ends with the machine, and that outlives the page where it is small enough. */
  async #send(send: Host["fetch"], request: Request, size: number): Promise<unknown> {
    const keepalive = size > 0 && this.#keptAlive + size <= MAX_KEPT_ALIVE;
    if (keepalive) this.#keptAlive += size;
    try {
      const ends = this.#requests.of.signal;
      const response = (await send(outliving(request, keepalive, ends))) as { status?: unknown } | undefined;
      if ((response?.status === 403 || response?.status === 404) && this.#isOwnStream(request)) this.#parts.refused();
      return response;
    } finally {
      if (keepalive) this.#keptAlive -= size;
    }
  }
}

/** The same request, under one signal more. */
function outliving(request: Request, keepalive: boolean, ends: AbortSignal): Request {
  try {
    return new Request(request, { keepalive, signal: AbortSignal.any([request.signal, ends]) });
  } catch {
    // An older browser, or signals and requests of two implementations.
    return request;
  }
}

/** One memory for all runtimes of the page, so that two of one session keep each other from running a call twice. */
const memory = new MemoryStore();

function storeFor({ storage, warn }: LifeParts): Store {
  if (typeof storage === "object") return storage;
  return storage === "memory" || !("indexedDB" in globalThis) ? memory : new IndexedStore(warn);
}
