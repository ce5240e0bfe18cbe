/**
 * Stands in line for a session, so that one page at a time runs its calls: by a Web Lock, by a lease in
 * IndexedDB where pages have no Web Locks, or at once where there are neither and nobody to share with.
 */

/** What becomes of a place in line. @internal */
export interface Turn {
  /** It is this page's turn. */
  gained(): void;
  /** Another page has taken the turn over. */
  lost(): void;
}

/** The Web Locks, where there are any: not in Node, and not in pages of insecure origins. @internal */
export function locksHere(): LockManager | undefined {
  return (globalThis.navigator as { locks?: LockManager } | undefined)?.locks;
}

/** Stands in line. Gives the function that leaves the line, or ends the turn. @internal */
export function standInLine(name: string, turn: Turn): () => void {
  let left = false;
  let leave = () => {};
  const guarded: Turn = {
    gained: () => void (left || turn.gained()),
    lost: () => void (left || turn.lost()),
  };
  const byLease = async () => {
    if (!("indexedDB" in globalThis)) {
      leave = standHere(name, guarded);
      return;
    }
    try {
      const { standByLease } = await import("./lease.js");
      if (!left) leave = standByLease(name, guarded);
    } catch {
      // Without any way to share, two pages are kept apart by what the store fences.
      guarded.gained();
    }
  };
  const locks = locksHere();
  if (locks) leave = standByLock(locks, name, guarded, byLease);
  else void byLease();
  return () => {
    left = true;
    leave();
  };
}

/** The lines of this very page or process, where nothing is shared with others: the first of each has its turn. */
const lines = new Map<string, Turn[]>();

function standHere(name: string, turn: Turn): () => void {
  const line = lines.get(name) ?? [];
  lines.set(name, line);
  if (line.push(turn) === 1) turn.gained();
  return () => {
    const place = line.indexOf(turn);
    if (place < 0) return;
    line.splice(place, 1);
    if (line.length === 0) lines.delete(name);
    else if (place === 0) line[0]?.gained();
  };
}

function standByLock(locks: LockManager, name: string, turn: Turn, refused: () => Promise<void>): () => void {
  const waiting = new AbortController();
  let end = () => {};
  let held = false;
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  locks
    .request(name, { signal: waiting.signal }, () => {
      held = true;
      turn.gained();
      return over;
    })
    .catch(() => {
      // A sandboxed page has locks that it may not use; a held one can be stolen.
      if (held) turn.lost();
      else if (!waiting.signal.aborted) void refused();
    });
  return () => {
    waiting.abort();
    end();
  };
}
