/**
 * WebMCP as Chromium does it, for tests without a browser: names, duplicates, signals, results as texts, messages that
 * are lost. Options make it the older one on `navigator`, or one that refuses what the coming specification refuses.
 */
import { onTestFinished, vi } from "vitest";

export interface FakeOptions {
  /** Whether schemas are listed as JSON text, as before Chrome 154. */
  texts?: boolean;
  /** Where it is. */
  place?: "document" | "navigator";
  /** Whether it knows no signal, and `unregisterTool` instead. */
  older?: boolean;
  /** What a schema's refusal looks like; nothing is refused where there is none. */
  refuses?: (schema: unknown) => Error | undefined;
  /** What every member throws. */
  barred?: DOMException;
}

interface Registered {
  name: string;
  description: string;
  inputSchema?: unknown;
  annotations?: Record<string, boolean>;
  execute(input: unknown, client?: unknown): unknown;
}

/** What the coming specification refuses, wherever it stands. */
export function refusedKeyword(schema: unknown, places = 0): string | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  for (const [keyword, value] of Object.entries(schema)) {
    if (["$ref", "$defs", "format", "unevaluatedProperties", "dependentRequired"].includes(keyword)) return keyword;
    if (keyword === "additionalProperties" && value !== false) return keyword;
    if (keyword === "pattern") {
      try {
        new RegExp(String(value), "u");
      } catch {
        return keyword;
      }
    }
    const named = ["properties", "patternProperties", "dependentSchemas"].includes(keyword);
    const held = ["const", "enum", "default", "examples"].includes(keyword);
    const inside = held || typeof value !== "object" || value === null ? [] : named || Array.isArray(value) ? Object.values(value) : [value];
    for (const one of inside) {
      const found = refusedKeyword(one, places + 1);
      if (found) return found;
    }
  }
  return undefined;
}

export class FakeModelContext extends EventTarget {
  readonly tools = new Map<string, Registered>();
  readonly #options: FakeOptions;
  registerTool: (tool: Registered, options?: { signal?: AbortSignal }) => unknown;
  unregisterTool?: (name: string) => void;

  constructor(options: FakeOptions) {
    super();
    this.#options = options;
    this.registerTool = options.older ? (tool) => this.#register(tool) : async (tool, { signal } = {}) => this.#register(tool, signal);
    if (options.older) this.unregisterTool = (name) => this.#unregister(name);
  }

  #register(tool: Registered, signal?: AbortSignal): void {
    this.#bar();
    const { name, description, inputSchema } = tool;
    if (description === undefined) throw new TypeError("Required member is undefined.");
    if (!/^[A-Za-z0-9_.-]{1,128}$/.test(name) || description === "") throw new DOMException("Invalid tool name or description", "InvalidStateError");
    if (this.tools.has(name)) throw new DOMException("Duplicate tool name", "InvalidStateError");
    if (inputSchema !== undefined && (typeof inputSchema !== "object" || inputSchema === null)) throw new TypeError("not an object");
    JSON.stringify(inputSchema);
    const refusal = this.#options.refuses?.(inputSchema);
    if (refusal) throw refusal;
    if (signal?.aborted) throw signal.reason;
    this.tools.set(name, tool);
    signal?.addEventListener("abort", () => this.#unregister(name));
    this.#changed();
  }

  async getTools(): Promise<unknown[]> {
    this.#bar();
    return [...this.tools.values()].map(({ name, description, inputSchema, annotations = {} }) => ({
      name,
      title: "",
      description,
      ...(inputSchema !== undefined && { inputSchema: this.#options.texts ? JSON.stringify(inputSchema) : structuredClone(inputSchema) }),
      annotations: { readOnlyHint: false, untrustedContentHint: false, consequentialHint: false, debugging: false, ...annotations },
    }));
  }

  async executeTool(listed: { name: string }, input: unknown = {}, { signal }: { signal?: AbortSignal } = {}): Promise<string | null> {
    this.#bar();
    if (typeof input !== "object" || input === null) throw new TypeError("not an object");
    const text = JSON.stringify(input);
    const tool = this.tools.get(listed.name);
    const unknown = () => new DOMException("The operation failed for an unknown transient reason (e.g. out of memory).", "UnknownError");
    if (!tool) throw unknown();
    const inner = new AbortController();
    const aborted = new Promise<never>((_resolve, reject) => {
      signal?.addEventListener("abort", () => {
        reject(signal.reason);
        inner.abort();
      });
    });
    const run = (async () => {
      try {
        const value = await tool.execute(JSON.parse(text), this.#options.older ? undefined : { signal: inner.signal });
        if (typeof value === "symbol") throw new Error("the renderer would be dead now");
        return typeof value === "string" ? value || "Operation succeeded" : JSON.stringify(value) ?? "undefined";
      } catch {
        throw unknown();
      }
    })();
    return Promise.race([run, aborted]);
  }

  #bar(): void {
    if (this.#options.barred) throw this.#options.barred;
  }

  #unregister(name: string): void {
    if (this.tools.delete(name)) this.#changed();
  }

  #changed(): void {
    queueMicrotask(() => this.dispatchEvent(new Event("toolchange")));
  }
}

/** Puts one into the global scope until the test is over. */
export function browserWith(options: FakeOptions = {}): FakeModelContext {
  const context = new FakeModelContext(options);
  const { place = "document" } = options;
  if (place === "document") vi.stubGlobal("document", Object.assign(new EventTarget(), { modelContext: context }));
  else vi.stubGlobal("navigator", { modelContext: context });
  onTestFinished(() => void vi.unstubAllGlobals());
  return context;
}
