/**
 * The entry `pagehand/webmcp`: a runtime's tools for the browser's own agent, and other scripts' tools for the runtime,
 * through `document.modelContext`. Importing it does nothing, and on a server neither function does anything.
 */
import { Adoption } from "./webmcp/adopt.js";
import { MISSING, type ModelContext, isPage, modelContext } from "./webmcp/context.js";
import { Exposure } from "./webmcp/expose.js";
import { PagehandError } from "./errors.js";
import { given } from "./given.js";
import type { Runtime } from "./runtime.js";
import type { Rules } from "./shape.js";
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
  const wanted = chosen(options, EXPOSE);
  return link(runtime as Runtime, options.signal, (context) => new Exposure(runtime as Runtime, context, (tool) => wanted(tool.name)));
}

/**
 * Makes client tools of the runtime of those that other scripts registered with the browser, for as long as they are.
 * What cannot be adopted is a `warning` of the runtime; the only thing thrown is `invalid-options`.
 */
export function adoptFromBrowser<Bag>(runtime: Runtime<Bag>, options: AdoptOptions = {}): BrowserLink {
  const wanted = chosen(options, ADOPT);
  const { prefix = "", approve, signal } = options;
  return link(runtime as Runtime, signal, (context) => new Adoption(runtime as Runtime, context, { wanted, prefix, approve }));
}

function link(runtime: Runtime, signal: AbortSignal | undefined, start: (context: ModelContext) => Exposure | Adoption): BrowserLink {
  if (typeof runtime?.inside !== "object") throw wrong("the first argument must be a runtime that createRuntime() made");
  const context = modelContext();
  if (!context && isPage()) runtime.inside.warn("unsupported-environment", MISSING);
  const going = context && !signal?.aborted && runtime.state !== "closed" ? started(runtime, () => start(context)) : undefined;
  const { changed } = runtime.inside;
  const stop = () => {
    signal?.removeEventListener("abort", stop);
    changed.delete(look);
    going?.stop();
  };
  // A signal that outlives the runtime must not keep it.
  const look = () => {
    if (runtime.state === "closed") stop();
  };
  if (going) {
    changed.add(look);
    signal?.addEventListener("abort", stop, { once: true });
    // By a script in the browser's place, while it was being started.
    if (signal?.aborted) stop();
  }
  return { ready: going?.settled() ?? Promise.resolve(), stop, [Symbol.dispose]: stop };
}

/** Starts it; what stands in the browser's place may throw whatever it is asked for. */
function started<Going>(runtime: Runtime, start: () => Going): Going | undefined {
  try {
    return start();
  } catch (thrown) {
    runtime.inside.warn("unsupported-environment", `nothing passes between the browser's agent and this page: ${given.messageOf(thrown)}`);
    return undefined;
  }
}

const isName = (name: unknown) => typeof name === "string";

const EXPOSE: Rules = {
  only: ["must be a list of names", (only) => Array.isArray(only) && only.every(isName)],
  signal: ["must be an AbortSignal", (signal) => typeof (signal as AbortSignal | null)?.addEventListener === "function"],
};

const ADOPT: Rules = {
  ...EXPOSE,
  prefix: ["must be at most 64 letters, digits or any of _ . : / -", (prefix) => isName(prefix) && /^[\w.:/-]{0,64}$/.test(prefix as string)],
  approve: ['must be "always", "once", "never", a boolean or a function', (approve) => ["always", "once", "never", true, false].includes(approve as string) || typeof approve === "function"],
};

/** Looks the options over: one that is misspelt, `only` say, would offer more than was meant. Gives which names are wanted. */
function chosen(options: ExposeOptions, rules: Rules): (name: string) => boolean {
  if (typeof options !== "object" || options === null) throw wrong("the options must be an object");
  given.validate("invalid-options", options, rules, "option `", "`");
  const { only } = options;
  if (only === undefined) return () => true;
  const names = new Set(only);
  return (name) => names.has(name);
}

function wrong(what: string): PagehandError {
  return new PagehandError("invalid-options", what);
}
