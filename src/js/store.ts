/**
 * What is kept of calls so that each is answered once, whatever happens to its page: the contract of a
 * store, the one that lives in memory, and the reading of what a store gives back.
 * A store holds calls and answers. It never sees a token.
 */
import type { ErrorCode } from "./codes.js";

/** How far a call got. */
export type Progress =
  /** Its handler was about to run. */
  | { state: "started" }
  /** Its answer: the very bytes to post. */
  | { state: "answered"; body: string; ok: boolean }
  /** It is over. Kept so that reading history cannot run it again. */
  | { state: "ended" };

/** One call's record. A later one replaces an earlier one of the same key. */
export interface StoredRecord {
  /** The format: the major version of what wrote it. */
  v: number;
  key: { sessionId: string; callId: string; attempt: number };
  tool: string;
  progress: Progress;
  /** When it was written, in milliseconds since the epoch. */
  at: number;
}

/** How a write ended: `fenced` where another page owns the session by now, or has started the call. */
export type Written = "stored" | "failed" | "fenced";

/**
 * Where records are kept. Tabs that share a session must share its store.
 * A write checks and writes in one step: with an epoch that is not the session's last it is `fenced`, and so is
 * the start of a call that has a record already.
 */
export interface Store {
  /** Makes the caller the session's owner, which fences every earlier one, and gives what those left. */
  takeOver(sessionId: string): Promise<{ epoch: number; records: StoredRecord[] }>;
  write(sessionId: string, epoch: number, record: StoredRecord): Promise<Written>;
  /** Forgets every record. Who owns a session goes on owning it. */
  clear(): Promise<void>;
  /** Lets go of whatever it holds open. It may be used again afterwards. */
  close(): void;
}

/** The format written here. @internal */
export const FORMAT = 1;
/** Most ended calls kept of one session. @internal */
export const MAX_ENDED = 2_000;
/** How long an ended call is kept. @internal */
export const MAX_AGE = 30 * 24 * 60 * 60 * 1_000;

/** The ended records that need not be kept any longer. @internal */
export function outlived(records: readonly StoredRecord[], now: number): Set<StoredRecord> {
  const ended = records.filter((record) => record.progress?.state === "ended").sort((one, other) => other.at - one.at);
  return new Set(ended.filter((record, place) => place >= MAX_ENDED || !(record.at > now - MAX_AGE)));
}

/** Keeps records as long as the page lives. @internal */
export class MemoryStore implements Store {
  readonly #epochs = new Map<string, number>();
  readonly #records = new Map<string, StoredRecord>();

  async takeOver(sessionId: string): Promise<{ epoch: number; records: StoredRecord[] }> {
    const epoch = (this.#epochs.get(sessionId) ?? 0) + 1;
    this.#epochs.set(sessionId, epoch);
    const records = [...this.#records.values()].filter((record) => record.key.sessionId === sessionId);
    const old = outlived(records, Date.now());
    for (const record of old) this.#records.delete(idOf(record));
    return { epoch, records: records.filter((record) => !old.has(record)) };
  }

  async write(sessionId: string, epoch: number, record: StoredRecord): Promise<Written> {
    const id = idOf(record);
    if (this.#epochs.get(sessionId) !== epoch) return "fenced";
    if (record.progress.state === "started" && this.#records.has(id)) return "fenced";
    this.#records.set(id, record);
    if (this.#records.size > 2 * MAX_ENDED) this.#dropOldest();
    return "stored";
  }

  async clear(): Promise<void> {
    this.#records.clear();
  }

  close(): void {}

  #dropOldest(): void {
    for (const [id, { progress }] of this.#records) {
      if (progress.state === "ended") return void this.#records.delete(id);
    }
  }
}

function idOf({ key }: StoredRecord): string {
  return JSON.stringify([key.sessionId, key.callId, key.attempt]);
}

/** A record as the driver reads it. @internal */
export interface FlatRecord {
  sessionId: string;
  callId: string;
  attempt: number;
  state: Progress["state"];
  body?: string;
  ok?: boolean;
}

/**
 * Reads what a store gave back. A record that cannot be read, or that a newer version wrote, says at least that its
 * call was taken on: it counts as started, so that the call is not run a second time. @internal
 */
export function readRecords(sessionId: string, records: unknown, warn: (code: ErrorCode, message: string) => void): FlatRecord[] {
  const bad = { "store-version": 0, "store-corrupt": 0 };
  const read: FlatRecord[] = [];
  for (const given of Array.isArray(records) ? (records as unknown[]) : [undefined]) {
    const { v, key, progress } = (given ?? {}) as Partial<StoredRecord>;
    const known = typeof key?.callId === "string" && typeof key.attempt === "number" && key.sessionId === sessionId;
    const fine = typeof v === "number" && v <= FORMAT && isProgress(progress);
    if (!known || !fine) bad[typeof v === "number" && v > FORMAT ? "store-version" : "store-corrupt"] += 1;
    if (known) read.push({ sessionId, callId: key.callId, attempt: key.attempt, ...(fine ? progress : { state: "started" }) });
  }
  if (bad["store-version"]) warn("store-version", `${bad["store-version"]} stored records are of a newer version; their calls are not run again`);
  if (bad["store-corrupt"]) warn("store-corrupt", `${bad["store-corrupt"]} stored records cannot be read; their calls are not run again`);
  return read;
}

function isProgress(given: unknown): given is Progress {
  const progress = given as Partial<Record<string, unknown>> | null | undefined;
  if (progress?.state !== "answered") return progress?.state === "started" || progress?.state === "ended";
  return typeof progress.body === "string" && typeof progress.ok === "boolean";
}
