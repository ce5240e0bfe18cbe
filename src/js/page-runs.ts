/**
 * The calls of the page tools that are under way, and what becomes of them when the WASM file traps: a page may have
 * broken what browsers have of their own, and a promise of a dead module would never settle. Each call is rejected in
 * words then, and the module is made anew for the next one. Refs end with the module that gave them.
 */
import { PagehandError } from "./errors.js";
import { pageHands } from "./page-hands.js";
import { pageHost } from "./page-host.js";
import type * as PageGlue from "./wasm/page.js";

/** The calls under way, of every set of page tools: they share one module. */
const pending = new Set<(error: PagehandError) => void>();
/** Which of the modules that followed each other is the living one. */
let life = 0;

/** Rejects what is under way and makes the module anew. */
function trapped(glue: typeof PageGlue, cause?: unknown): void {
  const error = new PagehandError("wasm-trapped", "the page tools broke off and begin anew: read the page again", { cause });
  life += 1;
  glue.__wbg_reset_state();
  const all = [...pending];
  pending.clear();
  for (const reject of all) reject(error);
}

/** One set of page tools, in whichever module lives. @internal */
export class PageRuns {
  readonly #glue: typeof PageGlue;
  readonly #options: object;
  #page: PageGlue.RawPage | undefined;
  #life = -1;

  constructor(glue: typeof PageGlue, options: object) {
    this.#glue = glue;
    this.#options = options;
  }

  /** The set in the living module. Throws over options that are wrong. */
  page(): PageGlue.RawPage {
    if (!this.#page || this.#life !== life) {
      this.#page = new this.#glue.RawPage(this.#options, pageHands);
      this.#life = life;
    }
    return this.#page;
  }

  /** Runs a tool. Always settles. */
  run(name: string, input: object, signal: AbortSignal, after: (run: () => unknown) => void): Promise<unknown> {
    return new Promise((resolve, reject) => {
      let waiting = 0;
      pending.add(reject);
      // All that a call waits for comes from the host, and a step it takes is over before the next task: a call that
      // waits for nothing by then, and has not ended, never will.
      const look = () => {
        if (waiting > 0) return;
        setTimeout(() => {
          if (waiting === 0 && pending.has(reject)) trapped(this.#glue);
        });
      };
      const host = pageHost(signal, after, (change) => {
        waiting += change;
        look();
      });
      const ended = () => pending.delete(reject);
      try {
        this.page().run(name, input, host).then(resolve, reject).finally(ended);
        look();
      } catch (cause) {
        trapped(this.#glue, cause);
      }
    });
  }
}
