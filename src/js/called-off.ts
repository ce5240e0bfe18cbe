/**
 * The caller's own signal in a call that the app makes itself: what the call waits for ends the moment it aborts. The
 * machine knows nothing of that signal, and need not: it hears of a handler or a question that is over. Never rejects
 * because of the signal, and never makes a yes of it.
 */

/** What is said of such a call. */
export const calledOff = "the call was called off";

/**
 * Runs something under either signal. When the caller's aborts, `end` is its outcome and whatever it gives later counts
 * for nothing; what is no signal is as good as none.
 */
export async function unlessCalledOff<Outcome>(caller: AbortSignal | undefined, signal: AbortSignal, end: () => Outcome, run: (either: AbortSignal) => Promise<Outcome>): Promise<Outcome> {
  if (typeof caller?.addEventListener !== "function") return run(signal);
  if (caller.aborted) return end();
  const either = new AbortController();
  const over = new AbortController();
  const listen = (to: AbortSignal, then: () => void) => to.addEventListener("abort", then, { once: true, signal: over.signal });
  try {
    return await new Promise((resolve, reject) => {
      // The end comes first: what the run makes of its signal is not waited for.
      listen(caller, () => {
        resolve(end());
        either.abort(caller.reason);
      });
      listen(signal, () => either.abort(signal.reason));
      if (signal.aborted) either.abort(signal.reason);
      run(either.signal).then(resolve, reject);
    });
  } finally {
    over.abort();
  }
}
