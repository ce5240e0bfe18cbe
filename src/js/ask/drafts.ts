/**
 * What was typed into questions that come back after a reload, until their call ends. Kept in the tab's own storage,
 * by call, without passwords; where there is none, nothing is kept.
 */
import type { Emitter } from "../emitter.js";
import type { CallKey, RuntimeEvent } from "../events.js";

/** Most drafts of a tab; the oldest go first. */
const MOST = 24;
/** Longest draft, in characters. */
const LONGEST = 20_000;

/** The calls whose end is awaited, by who tells it. */
const watching = new WeakMap<object, Set<string>>();

type Entry = [id: string, value: unknown];

/** Where they are. `runtime.clear()` removes it by this name. */
const KEY = "pagehand drafts";

/** The drafts of this tab. */
export class Drafts {
  get(id: string): unknown {
    return this.#read().find(([known]) => known === id)?.[1];
  }

  set(id: string, value: unknown): void {
    try {
      if (JSON.stringify(value).length > LONGEST) return;
      this.#write([...this.#read().filter(([known]) => known !== id), [id, value]]);
    } catch {
      // What has no JSON form is typed anew.
    }
  }

  /**
   * What had been typed at a place within a call, and how to keep it. All of a call's go when the call has ended,
   * which is not so where the page just leaves.
   */
  at(emitter: Emitter<RuntimeEvent>, { sessionId, callId, attempt }: CallKey, place: string): { value: unknown; keep: (value: unknown) => void } {
    const call = JSON.stringify([sessionId, callId, attempt]);
    const id = `${call} ${place}`;
    const watched = watching.get(emitter) ?? new Set();
    watching.set(emitter, watched);
    if (!watched.has(call)) {
      watched.add(call);
      const off = new AbortController();
      const hear = (event: CallKey): void => {
        if (event.callId !== callId || event.attempt !== attempt || event.sessionId !== sessionId) return;
        off.abort();
        watched.delete(call);
        this.drop(call);
      };
      for (const type of ["agent.tool.called", "agent.tool.failed"] as const) emitter.on(type, hear, off);
    }
    return { value: this.get(id), keep: (value) => this.set(id, value) };
  }

  /** Forgets those whose id begins so. */
  drop(prefix: string): void {
    const all = this.#read();
    const left = all.filter(([id]) => !id.startsWith(prefix));
    if (left.length < all.length) this.#write(left);
  }

  #read(): Entry[] {
    try {
      const entries: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
      return Array.isArray(entries) ? entries.filter((one): one is Entry => Array.isArray(one) && typeof one[0] === "string") : [];
    } catch {
      return [];
    }
  }

  #write(entries: readonly Entry[]): void {
    try {
      if (entries.length === 0) sessionStorage.removeItem(KEY);
      else sessionStorage.setItem(KEY, JSON.stringify(entries.slice(-MOST)));
    } catch {
      // No room, or no storage: then it is typed anew.
    }
  }
}
