/**
 * The entry `pagehand/webmcp`: a runtime's tools for the browser's own agent, and other scripts' tools for the runtime,
 * through `document.modelContext`. Importing it does nothing, and on a server neither function does anything.
 */
import { Adoption } from "./webmcp/adopt.js";
import { MISSING, type ModelContext, isPage, modelContext } from "./webmcp/context.js";
import { Exposure } from "./webmcp/expose.js";
import { PagehandError } from "./errors.js";
import type { Runtime } from "./runtime.js";
import type { ToolFields } from "./tool.js";

/** Options of {@link exposeToBrowser}. */
export interface ExposeOptions {
  /** The names of the tools to offer, those that are registered later too. @defaultValue every tool */
  readonly only?: readonly string[] | undefined;
  /** Ends it. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of {@link adoptFromBrowser}. */
export interface AdoptOptions {
  /** The names of the tools to adopt, as their scripts gave them. @defaultValue every tool */
  readonly only?: readonly string[] | undefined;
  /** Stands before their names in the runtime: `"page_"`, say. @defaultValue `""` */
  readonly prefix?: string | undefined;
  /** Whether a person must agree before one runs, as for any tool. @defaultValue what the tool's hints ask for */
  readonly approve?: ToolFields<never>["approve"];
  /** Ends it. */
  readonly signal?: AbortSignal | undefined;
}

/** What goes on until it is stopped, or the runtime closes. */
export interface BrowserLink extends Disposable {
  /** Resolves once the tools that there are now have been dealt with. Never rejects. */
  readonly ready: Promise<void>;
  /** Ends it. Calling it again does nothing. */
  stop(): void;
}

/**
 * Offers the runtime's tools to the browser's agent, for as long as they are registered. Its calls are checked, asked
 * about and reported like any other. What the browser does not take is a `warning` of the runtime; the only thing
 * thrown is `invalid-options`.
 */
export function exposeToBrowser<Bag>(runtime: Runtime<Bag>, options: ExposeOptions = {}): BrowserLink {
  const wanted = chosen(options);
  return link(runtime as Runtime, options.signal, (context) => new Exposure(runtime as Runtime, context, (tool) => wanted(tool.name)));
}

/**
 * Makes client tools of the runtime of those that other scripts registered with the browser, for as long as they are.
 * What cannot be adopted is a `warning` of the runtime; the only thing thrown is `invalid-options`.
 */
export function adoptFromBrowser<Bag>(runtime: Runtime<Bag>, options: AdoptOptions = {}): BrowserLink {
  const wanted = chosen(options);
  const { prefix = "", approve, signal } = options;
  if (typeof prefix !== "string" || !/^[\w.:/-]{0,64}$/.test(prefix)) throw wrong("option `prefix` must be at most 64 letters, digits or any of _ . : / -");
  return link(runtime as Runtime, signal, (context) => new Adoption(runtime as Runtime, context, { wanted, prefix, approve }));
}

function link(runtime: Runtime, signal: AbortSignal | undefined, start: (context: ModelContext) => Exposure | Adoption): BrowserLink {
  if (typeof runtime?.inside !== "object") throw wrong("the first argument must be a runtime that createRuntime() made");
  if (signal !== undefined && typeof signal?.addEventListener !== "function") throw wrong("option `signal` must be an AbortSignal");
  const context = modelContext();
  if (!context && isPage()) runtime.inside.warn("unsupported-environment", MISSING);
  const going = context && !signal?.aborted && runtime.state !== "closed" ? start(context) : undefined;
  const stop = () => {
    signal?.removeEventListener("abort", stop);
    going?.stop();
  };
  if (going) signal?.addEventListener("abort", stop, { once: true });
  return { ready: going?.settled() ?? Promise.resolve(), stop, [Symbol.dispose]: stop };
}

function chosen(options: ExposeOptions): (name: string) => boolean {
  if (typeof options !== "object" || options === null) throw wrong("the options must be an object");
  const { only } = options;
  if (only === undefined) return () => true;
  if (!Array.isArray(only) || !only.every((name) => typeof name === "string")) throw wrong("option `only` must be a list of names");
  const names = new Set(only);
  return (name) => names.has(name);
}

function wrong(what: string): PagehandError {
  return new PagehandError("invalid-options", what);
}
