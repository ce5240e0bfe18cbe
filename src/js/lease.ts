/**
 * A turn without Web Locks: a lease in IndexedDB, taken by compare-and-set and renewed while it is held.
 * A page that dies stops renewing, and the lease runs out. Timers of hidden pages are slow, so a lease
 * outlasts several of their beats; what two pages do in a moment of doubt, the store fences.
 */
import { anId } from "./apart.js";
import { Database } from "./database.js";
import type { Turn } from "./ownership.js";

const BEAT = 500;
const LEASE = 3_000;

interface Lease {
  holder: string;
  until: number;
}

/** Stands in line. Gives the function that leaves it, or ends the turn. @internal */
export function standByLease(name: string, turn: Turn): () => void {
  const me = anId();
  const database = new Database();
  let over = false;
  let held = false;
  let failures = 0;

  /** Takes or renews the lease, or gives it up; tells whether it is this page's now. */
  const bid = (until: number) =>
    database.run<boolean>("readwrite", (transaction, settle) => {
      const leases = transaction.objectStore("leases");
      const found = leases.get(name);
      found.onsuccess = () => {
        const lease = found.result as Lease | undefined;
        const mine = lease?.holder === me;
        // A lease from the far future is a clock that was set back.
        const taken = lease && !mine && lease.until > Date.now() && lease.until < Date.now() + 2 * LEASE;
        if (taken || (until === 0 && !mine)) return settle(false);
        if (until === 0) leases.delete(name);
        else leases.put({ holder: me, until } satisfies Lease, name);
        settle(true);
      };
    });

  const beat = async () => {
    if (over) return;
    const mine = await bid(Date.now() + LEASE).catch(() => {
      failures += 1;
      // Nothing can be shared where nothing can be stored.
      return failures > 3 ? true : held;
    });
    if (over) return void (mine && bid(0).catch(() => false));
    if (mine !== held) {
      held = mine;
      if (mine) turn.gained();
      else turn.lost();
    }
    setTimeout(() => void beat(), BEAT);
  };
  void beat();
  return () => {
    over = true;
    if (held) void bid(0).catch(() => false);
    database.close();
  };
}
