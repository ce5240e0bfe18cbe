/**
 * One IndexedDB connection that opens when it is needed, and again when a browser or a newer page closed it.
 * Every use is one transaction: what it settles on counts only once the transaction is complete.
 */
import { wordsOf } from "./apart.js";

/** The database's name. @internal */
export const DATABASE = "pagehand";
const VERSION = 1;
const STORES = ["sessions", "records", "leases"] as const;
/** An open that takes longer will not come: some browsers never answer. */
const PATIENCE = 4_000;

/** The database. @internal */
export class Database {
  #opening: Promise<IDBDatabase> | undefined;

  /** Runs one transaction over all stores; resolves with what `work` settled on. */
  async run<T>(mode: IDBTransactionMode, work: (transaction: IDBTransaction, settle: (value: T) => void) => void): Promise<T> {
    try {
      return await this.#run(mode, work);
    } catch (error) {
      // The connection was closed between two uses.
      if ((error as Error | null)?.name !== "InvalidStateError") throw error;
      this.#opening = undefined;
      return this.#run(mode, work);
    }
  }

  /** Lets go of the connection once its transactions are complete. */
  close(): void {
    const opening = this.#opening;
    this.#opening = undefined;
    opening?.then((database) => database.close()).catch(() => undefined);
  }

  async #run<T>(mode: IDBTransactionMode, work: (transaction: IDBTransaction, settle: (value: T) => void) => void): Promise<T> {
    const database = await this.#open();
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(STORES, mode);
      let settled: T;
      transaction.oncomplete = () => resolve(settled);
      transaction.onabort = () => reject(transaction.error ?? new Error("a transaction was aborted"));
      work(transaction, (value) => {
        settled = value;
      });
    });
  }

  #open(): Promise<IDBDatabase> {
    if (this.#opening) return this.#opening;
    const opening = new Promise<IDBDatabase>((resolve, reject) => {
      const fail = (why: string, cause?: unknown) => reject(new Error(why, { cause }));
      const late = setTimeout(() => fail("IndexedDB does not answer"), PATIENCE);
      const request = indexedDB.open(DATABASE, VERSION);
      request.onupgradeneeded = () => {
        const [sessions, records, leases] = STORES;
        request.result.createObjectStore(sessions);
        request.result.createObjectStore(records).createIndex("age", ["at", "size"]);
        request.result.createObjectStore(leases);
      };
      request.onblocked = () => fail("another page keeps an older database open");
      request.onerror = () => fail(wordsOf(request.error), request.error);
      request.onsuccess = () => {
        clearTimeout(late);
        const database = request.result;
        const forget = () => {
          if (this.#opening === opening) this.#opening = undefined;
        };
        // A newer page wants to upgrade: stand aside.
        database.onversionchange = () => {
          database.close();
          forget();
        };
        database.onclose = forget;
        if (this.#opening !== opening) database.close();
        resolve(database);
      };
    });
    this.#opening = opening;
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    return opening;
  }
}
