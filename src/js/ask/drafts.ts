/**
 * What was typed into the questions of calls that may run again after a reload, until the call ends. Kept in the
 * tab's own storage, by call, without passwords; where there is none, nothing is kept.
 */

/** Most drafts of a tab; the oldest go first. */
const MOST = 24;
/** Longest draft, in characters. */
const LONGEST = 20_000;

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
