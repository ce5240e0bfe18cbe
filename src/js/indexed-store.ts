/**
 * Records in IndexedDB, shared by all tabs of an origin. Whether a write is fenced is decided in the very
 * transaction that writes. Nothing here throws over what the database holds; quota is told once.
 */
import type { ErrorCode } from "./codes.js";
import { Database } from "./database.js";
import { MAX_AGE, type Store, type StoredRecord, type Written, outlived } from "./store.js";

/** Most records, and most bytes of answers, over all sessions; the oldest go first. */
const MAX_RECORDS = 20_000;
const MAX_SIZE = 50_000_000;

const keyOf = ({ key }: StoredRecord) => [key.sessionId, key.callId, key.attempt];

/** The store. @internal */
export class IndexedStore implements Store {
  readonly #database = new Database();
  readonly #warn: (code: ErrorCode, message: string) => void;
  #swept = false;
  #full = false;

  constructor(warn: (code: ErrorCode, message: string) => void) {
    this.#warn = warn;
  }

  async takeOver(sessionId: string): Promise<{ epoch: number; records: StoredRecord[] }> {
    const taken = await this.#database.run<{ epoch: number; records: StoredRecord[] }>("readwrite", (transaction, settle) => {
      const sessions = transaction.objectStore("sessions");
      const records = transaction.objectStore("records");
      const known = sessions.get(sessionId);
      known.onsuccess = () => {
        // Never below the clock, so that a session swept and seen again does not meet an owner of before.
        const epoch = Math.max((Number((known.result as { epoch?: unknown } | undefined)?.epoch) || 0) + 1, Date.now());
        sessions.put({ epoch, at: Date.now() }, sessionId);
        const range = IDBKeyRange.bound([sessionId], [sessionId, []]);
        const keys = records.getAllKeys(range);
        const values = records.getAll(range);
        values.onsuccess = () => {
          const all = values.result.map((value: object, place) => {
            const [, callId, attempt] = keys.result[place] as [string, string, number];
            return { ...value, key: { sessionId, callId, attempt } } as StoredRecord;
          });
          const old = outlived(all, Date.now());
          for (const record of old) records.delete(keyOf(record));
          settle({ epoch, records: all.filter((record) => !old.has(record)) });
        };
      };
    });
    void this.#sweep();
    return taken;
  }

  async write(sessionId: string, epoch: number, record: StoredRecord): Promise<Written> {
    try {
      return await this.#database.run<Written>("readwrite", (transaction, settle) => {
        const records = transaction.objectStore("records");
        const { v, tool, progress, at } = record;
        const size = progress.state === "answered" ? progress.body.length : 0;
        const put = () => {
          records.put({ v, tool, progress, at, size }, keyOf(record));
          settle("stored");
        };
        const session = transaction.objectStore("sessions").get(sessionId);
        session.onsuccess = () => {
          if ((session.result as { epoch?: unknown } | undefined)?.epoch !== epoch) return settle("fenced");
          if (progress.state !== "started") return put();
          const known = records.getKey(keyOf(record));
          known.onsuccess = () => (known.result === undefined ? put() : settle("fenced"));
        };
      });
    } catch (error) {
      if ((error as Error | null)?.name === "QuotaExceededError" && !this.#full) {
        this.#full = true;
        this.#warn("store-quota", "the browser's storage is full: calls go on in memory and will not outlive this page");
      }
      return "failed";
    }
  }

  clear(): Promise<void> {
    return this.#database.run<void>("readwrite", (transaction) => {
      transaction.objectStore("records").clear();
    });
  }

  close(): void {
    this.#database.close();
  }

  /** Once per page, removes what is too old or too much. */
  async #sweep(): Promise<void> {
    if (this.#swept) return;
    this.#swept = true;
    const oldest = Date.now() - MAX_AGE;
    const sweeping = this.#database.run<void>("readwrite", (transaction) => {
      const records = transaction.objectStore("records");
      let count = 0;
      let size = 0;
      const newestFirst = records.index("age").openKeyCursor(null, "prev");
      newestFirst.onsuccess = () => {
        const cursor = newestFirst.result;
        if (!cursor) return;
        const [at, bytes] = cursor.key as [number, number];
        count += 1;
        size += bytes;
        if (at < oldest || count > MAX_RECORDS || size > MAX_SIZE) records.delete(cursor.primaryKey);
        cursor.continue();
      };
      const sessions = transaction.objectStore("sessions").openCursor();
      sessions.onsuccess = () => {
        const cursor = sessions.result;
        if (!cursor) return;
        if (!((cursor.value as { at?: number }).at! > oldest)) cursor.delete();
        cursor.continue();
      };
    });
    await sweeping.catch(() => undefined);
  }
}
