/**
 * Which session a page continues. A tab keeps its own over reloads and navigations, in sessionStorage;
 * two runtimes of one page never share one unless they are told to.
 */
import { randomId } from "./ids.js";

/** A session and where it came from. @internal */
export interface Chosen {
  readonly id: string;
  /** Whether it was made just now. */
  readonly fresh: boolean;
  /** The next page of this tab begins a new one. */
  forget(): void;
  /** This page does without it from now on. */
  leave(): void;
}

/** Sessions that runtimes of this page are in. */
const inUse = new Set<string>();

/** Finds or makes it. @internal */
export function chooseSession(wanted: string, engine: string, agent: string): Chosen {
  const key = `pagehand ${engine} ${agent}`;
  const known = wanted === "resume" ? tabs((storage) => storage.getItem(key)) : undefined;
  const named = wanted !== "resume" && wanted !== "new";
  const taken = known !== undefined && inUse.has(known);
  const fresh = !named && (known === undefined || taken);
  const id = named ? wanted : fresh ? randomId() : known!;
  if (fresh && !taken) tabs((storage) => storage.setItem(key, id));
  inUse.add(id);
  return {
    id,
    fresh,
    forget: () => void tabs((storage) => storage.getItem(key) === id && storage.removeItem(key)),
    leave: () => void inUse.delete(id),
  };
}

/** Uses the tab's storage, where there is a tab and it lets us. */
function tabs<T>(use: (storage: Storage) => T | null): T | undefined {
  try {
    return typeof document === "undefined" ? undefined : (use(sessionStorage) ?? undefined);
  } catch {
    return undefined;
  }
}
