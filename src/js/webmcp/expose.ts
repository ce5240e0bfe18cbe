/**
 * The runtime's tools as the browser's agent is offered them, for as long as they are registered. What the browser does
 * not take is said once, in words; nothing is thrown at anyone. Whether a call may run, the runtime decides as always.
 */
import { checksOf } from "../checks.js";
import { messageOf } from "../errors.js";
import { plainText } from "../plain.js";
import type { Runtime } from "../runtime.js";
import type { Tool } from "../tool.js";
import { answer, failure } from "./answer.js";
import { type ModelContext, type OfferedTool, nameOf, siteAdvice } from "./context.js";
import { offeredNames, wasAdopted } from "./own.js";
import { reduced } from "./reduce.js";
import { type Warn, once } from "./warn.js";

/** The names that browsers take. */
const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** Most calls of the browser's agent that are open at a time. */
const MAX_CALLS = 64;

export class Exposure {
  readonly #runtime: Runtime;
  readonly #context: ModelContext;
  readonly #wanted: (tool: Tool) => boolean;
  readonly #warn: Warn;
  readonly #offered = new Map<Tool, AbortController>();
  readonly #settling = new Set<Promise<void>>();
  readonly #sync = () => this.#compare();
  readonly #calls = new Set<AbortController>();
  readonly #ended: Promise<void>;
  #end = () => {};
  #barred = false;

  constructor(runtime: Runtime, context: ModelContext, wanted: (tool: Tool) => boolean) {
    this.#runtime = runtime;
    this.#context = context;
    this.#wanted = wanted;
    this.#warn = once(runtime.inside.warn);
    this.#ended = new Promise((resolve) => (this.#end = resolve));
    runtime.inside.changed.add(this.#sync);
    this.#compare();
  }

  /** Resolves when the browser has decided on every tool there is now, or it is over. */
  async settled(): Promise<void> {
    const decided = async () => {
      while (this.#settling.size > 0) await Promise.all(this.#settling);
    };
    await Promise.race([decided(), this.#ended]);
  }

  stop(): void {
    this.#runtime.inside.changed.delete(this.#sync);
    this.#barred = true;
    this.#end();
    for (const controller of this.#offered.values()) controller.abort();
    this.#offered.clear();
    for (const call of this.#calls) call.abort();
  }

  /** Offers what came and withdraws what went: that first, as another tool may have taken its name. */
  #compare(): void {
    // A closed runtime has no tools.
    const now = new Set(this.#runtime.inside.tools().filter(this.#wanted));
    for (const [tool, controller] of this.#offered) {
      if (now.has(tool)) continue;
      this.#offered.delete(tool);
      controller.abort();
    }
    for (const tool of now) {
      if (this.#barred || this.#offered.has(tool)) continue;
      const controller = new AbortController();
      this.#offered.set(tool, controller);
      const settling = this.#offer(tool, controller.signal)
        .catch((thrown: unknown) => this.#refused(tool, "invalid-tool", messageOf(thrown)))
        .finally(() => this.#settling.delete(settling));
      this.#settling.add(settling);
    }
    if (this.#runtime.state === "closed") this.stop();
  }

  /** Offers one, unless it or the browser has something against it. */
  async #offer(tool: Tool, signal: AbortSignal): Promise<void> {
    const { name, description } = tool;
    if (wasAdopted(tool)) return;
    const problem = NAME.test(name)
      ? description?.trim()
        ? undefined
        : "it has no description, which browsers ask for: give it one"
      : "browsers take names of 1 to 128 letters, digits or any of _ . -";
    if (problem) return this.#refused(tool, "invalid-tool", problem);
    const names = offeredNames(this.#context);
    if (names.has(name)) return this.#refused(tool, "duplicate-tool", "this page offers one of this name already, from another runtime or by another exposeToBrowser()");
    // Known as ours before the browser tells anyone of it.
    names.add(name);
    const release = () => names.delete(name);
    signal.addEventListener("abort", release);
    if ((await this.#register(tool, signal)) || signal.aborted) return;
    signal.removeEventListener("abort", release);
    release();
    // Whoever adopts tools may have passed over another script's tool, for its name.
    this.#runtime.inside.changed.forEach((changed) => changed !== this.#sync && changed());
  }

  /** Registers it by the first of its schemas that the browser takes; gives whether there was one. */
  async #register(tool: Tool, signal: AbortSignal): Promise<boolean> {
    const schemas = schemasOf(tool);
    for (const [index, inputSchema] of schemas.entries()) {
      try {
        await this.#native(tool, inputSchema, signal);
        if (index > 0) {
          const what = index === schemas.length - 1 ? "no schema at all" : "a simpler schema, without keywords like $ref and format";
          this.#warn("invalid-schema", `the browser refuses the input schema of tool "${tool.name}"; its agent is shown ${what}, and calls are checked by the full one as before`);
        }
        return true;
      } catch (thrown) {
        if (signal.aborted) return false;
        const advice = siteAdvice(thrown);
        if (advice !== undefined) {
          this.#barred = true;
          this.#warn("unsupported-environment", advice);
          return false;
        }
        if (nameOf(thrown) === "InvalidStateError" && (await this.#isTaken(tool.name))) {
          this.#refused(tool, "duplicate-tool", "another script of this page has one of this name");
          return false;
        }
        if (index === schemas.length - 1) this.#refused(tool, "invalid-tool", messageOf(thrown));
      }
    }
    return false;
  }

  async #native(tool: Tool, inputSchema: object, signal: AbortSignal): Promise<void> {
    const { name, description = "", action, annotations } = tool;
    const offer: OfferedTool = {
      name,
      ...(typeof action === "string" && { title: action }),
      description,
      inputSchema,
      annotations: {
        readOnlyHint: annotations?.readOnly === true,
        consequentialHint: annotations?.destructive === true,
        untrustedContentHint: annotations?.untrusted === true,
      },
      execute: (input, client) => this.#called(tool, input, client?.signal),
    };
    const made = await this.#context.registerTool(offer, { signal });
    const withdraw = () => {
      try {
        // What older browsers, and scripts in a browser's place, have instead of the signal.
        if (typeof this.#context.unregisterTool === "function") this.#context.unregisterTool(name);
        else (made as { unregister?(): unknown } | null | undefined)?.unregister?.();
      } catch {
        // Gone already.
      }
    };
    if (signal.aborted) withdraw();
    else signal.addEventListener("abort", withdraw, { once: true });
  }

  async #called(tool: Tool, input: unknown, signal: AbortSignal | undefined): Promise<string> {
    if (!this.#offered.has(tool)) return failure("unknown-tool", `the tool "${tool.name}" is not offered any more`);
    if (this.#calls.size >= MAX_CALLS) return failure("overloaded", `more than ${MAX_CALLS} calls are open on this page; try again later`);
    const call = new AbortController();
    const stop = () => call.abort(signal?.reason);
    // Older browsers give something else, or nothing.
    if (signal?.aborted === true) stop();
    signal?.addEventListener?.("abort", stop, { once: true });
    this.#calls.add(call);
    try {
      return await answer(this.#runtime, tool, input, call.signal);
    } finally {
      this.#calls.delete(call);
      signal?.removeEventListener?.("abort", stop);
    }
  }

  /** Whether the browser lists a tool of this name; where it lists nothing, its word is taken for it. */
  async #isTaken(name: string): Promise<boolean> {
    try {
      const listed: unknown = await this.#context.getTools?.();
      return !Array.isArray(listed) || listed.some((one: { name?: unknown } | null) => one?.name === name);
    } catch {
      return true;
    }
  }

  #refused(tool: Tool, code: "invalid-tool" | "duplicate-tool", why: string): void {
    this.#warn(code, `tool "${tool.name}" is not offered to the browser's agent: ${why}`);
  }
}

/** The schemas to try, from the one that says most to one that every browser takes. */
function schemasOf(tool: Tool): object[] {
  const bare = '{"type":"object"}';
  const declared = checksOf(tool).declared("input");
  // A copy of plain values: the browser may read it as it likes.
  const full = JSON.parse(typeof declared === "object" ? plainText(declared) : bare) as object;
  const texts = [full, reduced(full)].map((schema) => JSON.stringify(schema));
  return [...new Set([...texts, bare])].map((text) => JSON.parse(text) as object);
}
