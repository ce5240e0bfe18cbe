/**
 * What the parts that load later need, though the first load has its like: a module shared with that one would
 * cost every page a download of its own.
 */

/** An id that no other page has. @internal */
export function anId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}

/** What went wrong, in words. @internal */
export function wordsOf(thrown: unknown): string {
  return String((thrown as { message?: unknown } | null | undefined)?.message ?? thrown);
}
