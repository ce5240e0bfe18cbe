/**
 * What a running page tool borrows from JavaScript: turns of the event loop, time, and the moment after the answer.
 * Everything that waits ends as soon as the call is no longer wanted.
 */
import { messageOf } from "./errors.js";

/** What a page tool borrows. @internal */
export interface PageHost {
  /** Lets the page have its turn. */
  pause(): Promise<void>;
  sleep(milliseconds: number): Promise<void>;
  /** Resolves when the page was painted, or would have been. */
  frame(): Promise<void>;
  after(run: () => unknown): void;
}

/** A page that is not shown paints nothing: then its time is guessed. */
const UNPAINTED = 100;

/** Makes it for one call. `waits` hears when the call begins and ends to wait for one of these. @internal */
export function pageHost(signal: AbortSignal, after: (run: () => unknown) => void, waits: (change: 1 | -1) => void): PageHost {
  const wanted = (start: (done: () => void) => (() => void) | void) =>
    new Promise<void>((resolve, reject) => {
      let stop: (() => void) | void;
      const refuse = () => {
        stop?.();
        reject(new Error(`the call was called off: ${messageOf(signal.reason)}`));
      };
      if (signal.aborted) return refuse();
      signal.addEventListener("abort", refuse, { once: true });
      stop = start(() => {
        signal.removeEventListener("abort", refuse);
        resolve();
      });
    });
  const sleep = (milliseconds: number) =>
    wanted((done) => {
      const timer = setTimeout(done, milliseconds);
      return () => clearTimeout(timer);
    });
  const told =
    <Given extends unknown[]>(wait: (...given: Given) => Promise<void>) =>
    (...given: Given): Promise<void> => {
      waits(1);
      const waited = wait(...given);
      const done = () => waits(-1);
      waited.then(done, done);
      return waited;
    };
  return {
    sleep: told(sleep),
    // A message comes at once where timers of a hidden page are held back to one in a second.
    pause: told(() =>
      wanted((done) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => {
          port1.close();
          done();
        };
        port2.postMessage(null);
      }),
    ),
    frame: told(() => Promise.race([wanted((done) => void requestAnimationFrame(() => requestAnimationFrame(done))), sleep(UNPAINTED)])),
    after,
  };
}
