/**
 * Questions in a line: one is shown at a time, in the order they came. One that ends while it waits is never shown.
 * Knows no DOM.
 */

/** A line. */
export class Line {
  readonly #waiting: (() => Promise<void>)[] = [];
  #busy = false;

  /** How many wait behind the one that is shown. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Joins. `show` is called at the front, unless the signal has aborted by then; the next one follows when it resolves. */
  join(signal: AbortSignal, show: () => Promise<void>): void {
    const leave = (): void => {
      const at = this.#waiting.indexOf(enter);
      if (at >= 0) this.#waiting.splice(at, 1);
    };
    const enter = async (): Promise<void> => {
      signal.removeEventListener("abort", leave);
      if (!signal.aborted) await show();
    };
    if (signal.aborted) return;
    signal.addEventListener("abort", leave, { once: true });
    this.#waiting.push(enter);
    void this.#run();
  }

  async #run(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    for (let enter = this.#waiting.shift(); enter; enter = this.#waiting.shift()) {
      try {
        await enter();
      } catch (error) {
        // One that cannot be shown must not stop those behind it.
        console.error("pagehand: a question could not be shown", error);
      }
    }
    this.#busy = false;
  }
}
