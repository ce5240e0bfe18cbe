/**
 * Tools that other scripts of the page registered with the browser, as client tools of a runtime: for as long as they
 * are listed, run by the browser, checked and asked about by the runtime. Nothing is thrown at anyone.
 */
import { PagehandError, messageOf } from "../errors.js";
import { given } from "../given.js";
import { plainText } from "../plain.js";
import type { Runtime } from "../runtime.js";
import { type Tool, type ToolContext, type ToolFields, tool } from "../tool.js";
import { type ListedTool, type ModelContext, nameOf, siteAdvice } from "./context.js";
import { type Foreign, markOf, readForeign } from "./foreign.js";
import { isOffered, noteAdopted } from "./own.js";
import { type Warn, once } from "./warn.js";

/** Most tools that are adopted; the browser lists as many as scripts register. */
const MAX_TOOLS = 128;

interface Adopted {
  readonly mark: string;
  /** As it was listed last. */
  listed: ListedTool;
  release(): void;
}

/** How tools are adopted. */
export interface Terms {
  readonly wanted: (name: string) => boolean;
  readonly prefix: string;
  readonly approve: ToolFields<never>["approve"];
}

export class Adoption {
  readonly #runtime: Runtime;
  readonly #context: ModelContext;
  readonly #terms: Terms;
  readonly #warn: Warn;
  readonly #adopted = new Map<string, Adopted>();
  readonly #sync = () => this.#look();
  #looking: Promise<void> | undefined;
  #again = false;
  #stopped = false;

  constructor(runtime: Runtime, context: ModelContext, terms: Terms) {
    this.#runtime = runtime;
    this.#context = context;
    this.#terms = terms;
    this.#warn = once(runtime.inside.warn);
    if (typeof context.getTools !== "function" || typeof context.executeTool !== "function") {
      this.#warn("unsupported-environment", "this browser does not list the tools of other scripts (no modelContext.getTools), so none is adopted");
      this.#stopped = true;
      return;
    }
    // A name that was taken in the runtime may be free.
    runtime.inside.changed.add(this.#sync);
    context.addEventListener?.("toolchange", this.#sync);
    this.#look();
  }

  /** Resolves when what the browser lists now has been looked at. */
  async settled(): Promise<void> {
    while (this.#looking) await this.#looking;
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#runtime.inside.changed.delete(this.#sync);
    this.#context.removeEventListener?.("toolchange", this.#sync);
    for (const one of this.#adopted.values()) one.release();
    this.#adopted.clear();
  }

  /** Looks at the list, once for all the changes that come meanwhile. */
  #look(): void {
    if (this.#runtime.state === "closed") return this.stop();
    this.#again = true;
    this.#looking ??= this.#read();
  }

  async #read(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      let listed: unknown;
      try {
        listed = await this.#context.getTools?.();
      } catch (thrown) {
        this.#warn("unsupported-environment", siteAdvice(thrown) ?? `the browser does not list its tools: ${messageOf(thrown)}`);
      }
      if (Array.isArray(listed) && !this.#stopped) this.#compare(listed);
    }
    // Here, and not when it has resolved: a change in between would be lost.
    this.#looking = undefined;
  }

  #compare(listed: readonly unknown[]): void {
    const now = new Map<string, Foreign>();
    for (const one of listed) {
      const foreign = readForeign(one);
      if (!foreign || !this.#terms.wanted(foreign.name) || isOffered(this.#context, foreign.listed, foreign.name)) continue;
      // Frames may have tools of one name: the first is taken.
      if (now.has(foreign.name)) continue;
      if (now.size >= MAX_TOOLS) {
        this.#warn("overloaded", `the browser lists more than ${MAX_TOOLS} tools of other scripts; the rest is not adopted: choose by the option only`);
        break;
      }
      now.set(foreign.name, foreign);
    }
    for (const [name, adopted] of this.#adopted) {
      const foreign = now.get(name);
      if (foreign && markOf(foreign) === adopted.mark) {
        adopted.listed = foreign.listed;
        now.delete(name);
      } else {
        this.#adopted.delete(name);
        adopted.release();
      }
    }
    for (const foreign of now.values()) this.#adopt(foreign);
  }

  #adopt(foreign: Foreign): void {
    const { prefix, approve } = this.#terms;
    const name = `${prefix}${foreign.name}`;
    if (foreign.oddity !== undefined) this.#warn("invalid-schema", `tool "${foreign.name}" of another script: ${foreign.oddity}`);
    const adopted: Adopted = { mark: markOf(foreign), listed: foreign.listed, release: () => undefined };
    try {
      const made = tool({
        name,
        ...(foreign.description !== "" && { description: foreign.description }),
        ...(foreign.schema !== undefined && { input: foreign.schema }),
        annotations: foreign.annotations,
        ...(approve !== undefined && { approve }),
        execute: (input: unknown, context: ToolContext) => this.#run(name, adopted, input, context.signal),
      }) as Tool;
      noteAdopted(made);
      adopted.release = this.#runtime.register(made);
      this.#adopted.set(foreign.name, adopted);
    } catch (thrown) {
      const taken = thrown instanceof PagehandError && thrown.code === "duplicate-tool";
      this.#warn(taken ? "duplicate-tool" : "invalid-tool", `tool "${foreign.name}" of another script is not adopted: ${messageOf(thrown)}${taken ? "; give a prefix" : ""}`);
    }
  }

  /** Has the browser run it. What it gives is text, which is read as JSON where it is JSON. */
  async #run(name: string, adopted: Adopted, input: unknown, signal: AbortSignal): Promise<unknown> {
    // The browser writes arguments with `JSON.stringify`, which knows no BigInt.
    const plain = JSON.parse(plainText(input)) as object;
    let result: unknown;
    try {
      result = await this.#context.executeTool?.(adopted.listed, plain, { signal });
    } catch (thrown) {
      if (signal.aborted || nameOf(thrown) !== "UnknownError") throw thrown;
      throw new Error(`the tool "${name}" failed; the browser does not say why`, { cause: thrown });
    }
    return typeof result === "string" ? given.parseOr(result) : result;
  }
}
