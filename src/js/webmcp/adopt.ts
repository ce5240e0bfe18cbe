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
import { type Foreign, readForeign } from "./foreign.js";
import { isOffered, noteAdopted } from "./own.js";
import { type Warn, once } from "./warn.js";

/** Most tools that are adopted; the browser lists as many as scripts register. */
const MAX_TOOLS = 128;

/**
 * How long one look at the list follows another, in milliseconds: scripts may change their tools without end. As long as
 * each look finds others, the next one waits twice as long.
 */
const PACE = 50;
const MOST_PACE = 2_000;

/** How long the browser may take to list its tools, in milliseconds. */
const PATIENCE = 10_000;

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
  /** Resolves when the list has been looked at once, or it is over. */
  readonly #first: Promise<void>;
  #met = () => {};
  /** Ends the wait for a list. */
  #cut = () => {};
  #looking = false;
  #again = false;
  #changes = 0;
  #stopped = false;

  constructor(runtime: Runtime, context: ModelContext, terms: Terms) {
    this.#runtime = runtime;
    this.#context = context;
    this.#terms = terms;
    this.#warn = once(runtime.inside.warn);
    this.#first = new Promise((resolve) => (this.#met = resolve));
    if (typeof context.getTools !== "function" || typeof context.executeTool !== "function") {
      this.#warn("unsupported-environment", "this browser does not list the tools of other scripts (no modelContext.getTools), so none is adopted");
      this.#stopped = true;
      this.#met();
      return;
    }
    // A name that was taken in the runtime may be free.
    runtime.inside.changed.add(this.#sync);
    context.addEventListener?.("toolchange", this.#sync);
    this.#look();
  }

  /** Resolves when what the browser lists now has been looked at. */
  settled(): Promise<void> {
    return this.#first;
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#cut();
    this.#met();
    this.#runtime.inside.changed.delete(this.#sync);
    for (const one of this.#adopted.values()) one.release();
    this.#adopted.clear();
    this.#context.removeEventListener?.("toolchange", this.#sync);
  }

  /** Looks at the list, once for all the changes that come meanwhile. */
  #look(): void {
    if (this.#runtime.state === "closed") return this.stop();
    this.#again = true;
    if (!this.#looking) void this.#read();
  }

  async #read(): Promise<void> {
    this.#looking = true;
    let pace = PACE;
    while (this.#again && !this.#stopped) {
      this.#again = false;
      const before = this.#changes;
      try {
        const listed = await this.#list();
        if (Array.isArray(listed)) this.#compare(listed);
      } catch (thrown) {
        this.#warn("unsupported-environment", siteAdvice(thrown) ?? `the browser does not list its tools: ${messageOf(thrown)}`);
      }
      this.#met();
      if (!this.#stopped) await new Promise((resolve) => setTimeout(resolve, pace));
      pace = this.#changes === before ? PACE : Math.min(pace * 2, MOST_PACE);
    }
    this.#looking = false;
  }

  /** What the browser lists; nothing where it is over meanwhile. */
  async #list(): Promise<unknown> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      return await new Promise((resolve, reject) => {
        this.#cut = () => resolve(undefined);
        timer = setTimeout(() => reject(new Error(`it took longer than ${PATIENCE / 1_000} seconds`)), PATIENCE);
        Promise.resolve(this.#context.getTools?.()).then(resolve, reject);
      });
    } finally {
      clearTimeout(timer);
    }
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
      if (foreign?.mark === adopted.mark) {
        adopted.listed = foreign.listed;
        now.delete(name);
      } else {
        this.#changes += 1;
        this.#adopted.delete(name);
        adopted.release();
      }
    }
    for (const foreign of now.values()) {
      // Whoever is told of one may have ended it all.
      if (this.#stopped) return;
      this.#adopt(foreign);
    }
  }

  #adopt(foreign: Foreign): void {
    const { prefix, approve } = this.#terms;
    const name = `${prefix}${foreign.name}`;
    const shown = foreign.name.slice(0, 128);
    if (foreign.oddity !== undefined) this.#warn("invalid-schema", `tool "${shown}" of another script: ${foreign.oddity}`);
    const adopted: Adopted = { mark: foreign.mark, listed: foreign.listed, release: () => undefined };
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
      this.#changes += 1;
    } catch (thrown) {
      const taken = thrown instanceof PagehandError && thrown.code === "duplicate-tool";
      this.#warn(taken ? "duplicate-tool" : "invalid-tool", `tool "${shown}" of another script is not adopted: ${messageOf(thrown)}${taken ? "; give a prefix" : ""}`);
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
