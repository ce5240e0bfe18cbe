/**
 * What goes along with every run over AG-UI: context, forwarded props, the agent's state, the conversation to begin
 * with. Values are read once, functions before each run; what they give wrong is a warning, and the last good value stays.
 */
import { type AgUiOptions, CONTEXT, isContext } from "./ag-ui-options.js";
import type { Given } from "./given.js";
import type { Machine, MachineHooks } from "./machines.js";
import { toJsonText } from "./serialise.js";

type Part = "context" | "forwardedProps" | "state" | "messages";

/** What goes along with the runs of one runtime. @internal */
export class Along {
  readonly #given: Given;
  /** The last good text of each part. */
  readonly #texts = new Map<Part, string>();
  readonly #functions: [Part, () => unknown][] = [];
  /** The state to begin with, until a machine knows of it. */
  #state: { of: unknown } | undefined;
  #asking = false;

  constructor(given: Given, { context, forwardedProps, state, messages }: AgUiOptions) {
    this.#given = given;
    this.#state = { of: state };
    for (const [part, value] of Object.entries({ context, forwardedProps, state, messages }) as [Part, unknown][]) {
      if (typeof value === "function" && (part === "context" || part === "forwardedProps")) this.#functions.push([part, value as () => unknown]);
      else if (value !== undefined) this.#texts.set(part, this.#text(part, value));
    }
  }

  /** Everything, for a machine that knows nothing yet. */
  begin(hooks: MachineHooks): string {
    const { dispatcher } = hooks;
    if (this.#state) dispatcher.agentState = this.#state.of;
    else if (dispatcher.agentState !== undefined) this.#keep("state", dispatcher.agentState);
    this.#state = undefined;
    // Functions may well speak of the runtime, which is still being made.
    setTimeout(() => this.refresh(hooks));
    return objectOf(this.#texts);
  }

  /** Asks the functions, and tells the machine what they give, as far as it is other than before. Never throws. */
  refresh({ call, warn }: MachineHooks): void {
    // They may do what has them asked. Where there is no machine any more, nobody asks.
    if (!this.#asking && this.#functions.length > 0) call((raw) => this.#ask(raw, warn));
  }

  #ask(raw: Machine, warn: MachineHooks["warn"]): void {
    this.#asking = true;
    const fresh = new Map<Part, string>();
    for (const [part, ask] of this.#functions) {
      try {
        const value = ask();
        if (part === "context" && !isContext(value)) throw new TypeError(`it ${CONTEXT}`);
        const text = this.#text(part, value);
        if (text !== this.#texts.get(part)) fresh.set(part, text);
      } catch (error) {
        // The page may be in the middle of a run: whoever is told of it must not end that.
        this.#given.guard(() => warn("invalid-options", `what agUi.${part} gives cannot go along, so the last good value does: ${this.#given.messageOf(error)}`));
      }
    }
    this.#asking = false;
    for (const [part, text] of fresh) this.#texts.set(part, text);
    if (fresh.size > 0) raw.provide(objectOf(fresh));
  }

  /** The page changes the agent's state. Throws `invalid-options` over one that JSON cannot hold. */
  setState({ call, dispatcher }: MachineHooks, state: unknown): void {
    const text = this.#text("state", state);
    dispatcher.agentState = state;
    // A machine that is made anew begins with it, though it be nothing.
    this.#texts.set("state", text);
    call((raw) => raw.provide(`{"state":${text}}`));
  }

  #keep(part: Part, value: unknown): void {
    try {
      this.#texts.set(part, this.#text(part, value));
    } catch {
      // Somebody hung something on to it since; the server's word is on its way anyway.
    }
  }

  /** Its JSON text. Nothing is an object with nothing in it, as servers want it. */
  #text(part: Part, value: unknown): string {
    const { PagehandError, messageOf } = this.#given;
    try {
      return value === undefined ? "{}" : toJsonText(value, messageOf, `agUi.${part}`);
    } catch (cause) {
      throw new PagehandError("invalid-options", messageOf(cause), { cause });
    }
  }
}

function objectOf(texts: ReadonlyMap<Part, string>): string {
  return `{${[...texts].map(([part, text]) => `"${part}":${text}`).join()}}`;
}
