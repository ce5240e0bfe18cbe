/** Both stores keep the same contract; what IndexedDB adds is versions, retention and connections that go. */
import "fake-indexeddb/auto";
import { IDBFactory, IDBObjectStore } from "fake-indexeddb";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { DATABASE } from "../../src/js/database.ts";
import { IndexedStore } from "../../src/js/indexed-store.ts";
import { MAX_AGE, MAX_ENDED, MemoryStore, type Progress, type Store, type StoredRecord, readRecords } from "../../src/js/store.ts";

const S = "session";
const record = (callId: string, progress: Progress, at = Date.now()): StoredRecord => ({ v: 1, key: { sessionId: S, callId, attempt: 0 }, tool: "t", progress, at });
const started: Progress = { state: "started" };
const ended: Progress = { state: "ended" };
const answered: Progress = { state: "answered", body: '{"n":9007199254740993}', ok: true };

const warnings: string[] = [];
const warn = (code: string) => void warnings.push(code);

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory();
  warnings.length = 0;
});

const raw = <T>(work: (database: IDBDatabase) => IDBRequest<T>) =>
  new Promise<T>((resolve, reject) => {
    const opening = indexedDB.open(DATABASE);
    opening.onsuccess = () => {
      const request = work(opening.result);
      request.onsuccess = () => (opening.result.close(), resolve(request.result));
      request.onerror = () => reject(request.error);
    };
  });
const put = (value: object, key: IDBValidKey) => raw((database) => database.transaction("records", "readwrite").objectStore("records").put(value, key));

for (const [name, make] of [
  ["memory", () => new MemoryStore()],
  ["IndexedDB", () => new IndexedStore(warn)],
] as [string, () => Store][]) {
  describe(`the store in ${name}`, () => {
    it("gives a new owner what earlier ones left, and the bytes as they were", async () => {
      const store = make();
      const { epoch, records } = await store.takeOver(S);
      expect(records).toEqual([]);
      expect(await store.write(S, epoch, record("a", started))).toBe("stored");
      expect(await store.write(S, epoch, record("a", answered))).toBe("stored");
      expect(await store.write(S, epoch, record("b", ended))).toBe("stored");
      const next = await store.takeOver(S);
      expect(next.epoch).toBeGreaterThan(epoch);
      expect(next.records.map((one) => [one.key.callId, one.progress])).toEqual([["a", answered], ["b", ended]]);
      expect((await store.takeOver("other")).records).toEqual([]);
    });

    it("fences every owner but the last", async () => {
      const store = make();
      const { epoch: first } = await store.takeOver(S);
      const { epoch: second } = await store.takeOver(S);
      expect(await store.write(S, first, record("a", answered))).toBe("fenced");
      expect(await store.write(S, second, record("a", answered))).toBe("stored");
      expect(await store.write("never taken", second, record("a", answered))).toBe("fenced");
    });

    it("takes a start once, whoever asks", async () => {
      const store = make();
      const { epoch } = await store.takeOver(S);
      expect(await store.write(S, epoch, record("a", started))).toBe("stored");
      expect(await store.write(S, epoch, record("a", started))).toBe("fenced");
      await store.write(S, epoch, record("b", ended));
      expect(await store.write(S, epoch, record("b", started))).toBe("fenced");
    });

    it("forgets what ended long ago, and the oldest of too many, and no call that is open", async () => {
      const store = make();
      const { epoch } = await store.takeOver(S);
      const long = Date.now() - MAX_AGE - 1;
      await store.write(S, epoch, record("old", ended, long));
      for (let n = 0; n < MAX_ENDED + 3; n += 1) await store.write(S, epoch, record(`e${n}`, ended, Date.now() - MAX_ENDED + n));
      await store.write(S, epoch, record("open", started, Date.now() - 1_000_000));
      const { records } = await store.takeOver(S);
      const ids = records.map((one) => one.key.callId);
      expect(ids).toHaveLength(MAX_ENDED + 1);
      expect(ids).toContain("open");
      for (const gone of ["old", "e0", "e1", "e2"]) expect(ids).not.toContain(gone);
    });

    it("forgets everything when it is cleared, and its owner goes on", async () => {
      const store = make();
      const { epoch } = await store.takeOver(S);
      await store.write(S, epoch, record("a", answered));
      await store.clear();
      expect(await store.write(S, epoch, record("b", started))).toBe("stored");
      expect((await store.takeOver(S)).records.map((one) => one.key.callId)).toEqual(["b"]);
    });
  });
}

it("the store in memory is bounded while its page lives", async () => {
  const store = new MemoryStore();
  const { epoch } = await store.takeOver(S);
  await store.write(S, epoch, record("open", started));
  for (let n = 0; n < 3 * MAX_ENDED; n += 1) await store.write(S, epoch, record(`e${n}`, ended));
  // What was dropped is taken as new again; what is open, and what ended last, is not.
  expect(await store.write(S, epoch, record("e0", started))).toBe("stored");
  expect(await store.write(S, epoch, record("open", started))).toBe("fenced");
  expect(await store.write(S, epoch, record(`e${3 * MAX_ENDED - 1}`, started))).toBe("fenced");
});

describe("IndexedDB", () => {
  it("keeps records beyond the page that wrote them", async () => {
    const first = new IndexedStore(warn);
    const { epoch } = await first.takeOver(S);
    await first.write(S, epoch, record("a", answered));
    first.close();
    const { records } = await new IndexedStore(warn).takeOver(S);
    expect(readRecords(S, records, warn)).toEqual([{ sessionId: S, callId: "a", attempt: 0, ...answered }]);
  });

  it("counts what it cannot read as started, and says so once for each kind", async () => {
    const store = new IndexedStore(warn);
    await store.takeOver(S);
    await put({ v: 2, at: 1, size: 0, progress: { state: "dreamt" } }, [S, "newer", 0]);
    await put({ v: 1, at: 1, size: 0, progress: { state: "answered", body: 7 } }, [S, "broken", 0]);
    await put({ at: 1, size: 0 }, [S, "empty", 3]);
    const read = readRecords(S, (await store.takeOver(S)).records, warn);
    expect(read.map((one) => [one.callId, one.attempt, one.state])).toEqual([["broken", 0, "started"], ["empty", 3, "started"], ["newer", 0, "started"]]);
    expect(warnings).toEqual(["store-version", "store-corrupt"]);
    expect(readRecords(S, "nonsense", warn)).toEqual([]);
    expect(readRecords(S, [record("a", ended), { v: 1, key: { sessionId: "other", callId: "x", attempt: 0 }, progress: ended }, null], warn)).toHaveLength(1);
  });

  it("removes what is too old from all sessions, and sessions nobody was in for a month", async () => {
    const store = new IndexedStore(warn);
    await store.takeOver(S);
    await put({ v: 1, at: Date.now() - MAX_AGE - 1, size: 10, progress: answered }, ["long ago", "a", 0]);
    await put({ v: 1, at: Date.now(), size: 60_000_000, progress: answered }, ["huge", "a", 0]);
    await raw((database) => database.transaction("sessions", "readwrite").objectStore("sessions").put({ epoch: 3, at: 5 }, "long ago"));
    const next = new IndexedStore(warn);
    const { epoch } = await next.takeOver(S);
    // The sweep is behind the taking over, and before whatever comes next.
    await next.write(S, epoch, record("a", ended));
    expect(await raw((database) => database.transaction("records").objectStore("records").getAllKeys())).toEqual([[S, "a", 0]]);
    expect(await raw((database) => database.transaction("sessions").objectStore("sessions").getAllKeys())).toEqual([S]);
  });

  it("fails a write over a full disk, and says so once", async () => {
    const store = new IndexedStore(warn);
    const { epoch } = await store.takeOver(S);
    vi.spyOn(IDBObjectStore.prototype, "put").mockImplementation(() => {
      throw new DOMException("full", "QuotaExceededError");
    });
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    expect(await store.write(S, epoch, record("a", answered))).toBe("failed");
    expect(await store.write(S, epoch, record("a", answered))).toBe("failed");
    vi.restoreAllMocks();
    expect(await store.write(S, epoch, record("a", answered))).toBe("stored");
  });

  it("opens again after its connection went, and stands aside for a newer version", async () => {
    const store = new IndexedStore(warn);
    const { epoch } = await store.takeOver(S);
    store.close();
    expect(await store.write(S, epoch, record("a", ended))).toBe("stored");
    const upgraded = await new Promise<string>((resolve) => {
      const opening = indexedDB.open(DATABASE, 9);
      opening.onblocked = () => resolve("blocked");
      opening.onsuccess = () => (opening.result.close(), resolve("upgraded"));
    });
    expect(upgraded).toBe("upgraded");
    expect(await store.write(S, epoch, record("b", ended))).toBe("failed");
    await expect(store.takeOver(S)).rejects.toThrow();
  });

  it("rejects where it cannot be opened, and tries anew the next time", async () => {
    const store = new IndexedStore(warn);
    const open = vi.spyOn(indexedDB, "open").mockImplementation(() => {
      throw new DOMException("no", "SecurityError");
    });
    await expect(store.takeOver(S)).rejects.toThrow();
    open.mockRestore();
    expect((await store.takeOver(S)).records).toEqual([]);
  });
});
