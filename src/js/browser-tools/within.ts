/**
 * Waits that end: with what is waited for, when the call is called off, or when its time is over. Nothing in these
 * tools waits otherwise.
 */
import { BrowserToolError } from "./trouble.js";

/** Longest span a timer takes. */
const MAX_SPAN = 2 ** 31 - 1;

/** Waits for a promise until the signal aborts or the milliseconds are over; then `late` is thrown. */
export async function within<T>(promise: PromiseLike<T>, milliseconds: number, signal: AbortSignal, late: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop: () => void = () => undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    stop = () => reject(calledOff());
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop);
    timer = setTimeout(() => reject(late()), Math.min(milliseconds, MAX_SPAN));
  });
  try {
    return await Promise.race([promise, ended]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

/** What is thrown where nobody waits any more. */
export function calledOff(): Error {
  return new DOMException("the call was called off", "AbortError");
}

/** Said of a person who did not answer a browser's own question. */
export function noAnswer(what: string): Error {
  return new BrowserToolError("timeout", `the browser asked the user about ${what} and got no answer in time: tell the user to look for the browser's question, then try again`);
}
