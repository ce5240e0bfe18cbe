/**
 * The options of a runtime: what they are, and their validation. What is wrong is thrown at once,
 * with the option's name. No message quotes a value that may be a secret.
 */
import { PagehandError } from "./errors.js";
import type { MaybePromise, WasmSource } from "./load.js";
import type { Numbers } from "./parse.js";
import type { Store } from "./store.js";
import { type Tool, isTool } from "./tool.js";

/** A question to the person at the page. */
export interface Approval {
  readonly sessionId: string;
  readonly callId: string;
  readonly attempt: number;
  readonly tool: Tool;
  /** The exact arguments that would run. */
  readonly input: unknown;
  /** What the tool would do, for people. */
  readonly action?: string | undefined;
  /** Aborts when the question is void. */
  readonly signal: AbortSignal;
}

/** What the person said: yes, no, or yes with other arguments, which are checked again. */
export type ApprovalAnswer = boolean | { allow: true; input?: unknown } | { allow: false; reason?: string | undefined };

/** The machine's numbers. Spans are milliseconds. */
export interface Tuning {
  backoffBase?: number | undefined;
  backoffMax?: number | undefined;
  idleTimeout?: number | undefined;
  replayQuiet?: number | undefined;
  unknownToolGrace?: number | undefined;
  confirmTimeout?: number | undefined;
  maxOpenCalls?: number | undefined;
  maxRunning?: number | undefined;
  maxRemembered?: number | undefined;
  maxFrameBytes?: number | undefined;
  maxArgumentBytes?: number | undefined;
  maxArgumentDepth?: number | undefined;
  maxResultBytes?: number | undefined;
  maxTurns?: number | undefined;
}

/** What {@link createRuntime} is given. */
export interface RuntimeOptions {
  /** The engine's address. A relative one counts from the page's. */
  engine: string | URL;
  /** The agent that messages are sent to. */
  agent: string;
  /** Gives the bearer token; asked before each request, with `refresh` after a 401. Never stored. */
  token?: ((options: { refresh: boolean }) => MaybePromise<string | undefined>) | undefined;
  /** The tools to begin with. */
  tools?: readonly Tool[] | undefined;
  /**
   * The session to use: one by its id, a new one, or the one this tab was in.
   * @defaultValue `"resume"`: a reload or a navigation goes on with the tab's session; the first page makes a new one
   */
  session?: "resume" | "new" | (string & {}) | undefined;
  /**
   * Where calls and answers are kept, so that a page that comes later goes on with them.
   * @defaultValue `"indexeddb"` where there is one, else `"memory"`
   */
  storage?: "indexeddb" | "memory" | Store | undefined;
  /** What requests are sent by. @defaultValue the global `fetch` */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** How integers beyond 2^53 reach handlers. @defaultValue `"exact"`: as BigInt */
  numbers?: Numbers | undefined;
  /** Asks the person. Without it, calls that need consent are declined. */
  onApproval?: ((approval: Approval) => MaybePromise<ApprovalAnswer>) | undefined;
  /** Where the runtime's WASM file comes from. @defaultValue the package */
  wasm?: MaybePromise<WasmSource> | undefined;
  /** The clock, in milliseconds since the epoch, for tests. */
  now?: (() => number) | undefined;
  /** Other numbers than the defaults. */
  tuning?: Tuning | undefined;
}

const TUNING = [
  "backoffBase",
  "backoffMax",
  "idleTimeout",
  "replayQuiet",
  "unknownToolGrace",
  "confirmTimeout",
  "maxOpenCalls",
  "maxRunning",
  "maxRemembered",
  "maxFrameBytes",
  "maxArgumentBytes",
  "maxArgumentDepth",
  "maxResultBytes",
  "maxTurns",
];

const KNOWN = ["engine", "agent", "token", "tools", "session", "storage", "fetch", "numbers", "onApproval", "wasm", "now", "tuning"];

/** Options that were found right, and the engine's address in its final form. */
export interface Settled extends RuntimeOptions {
  engine: string;
}

/** Looks them over. */
export function validateOptions(options: RuntimeOptions): Settled {
  if (typeof options !== "object" || options === null) throw wrong("the argument of createRuntime", "must be an object");
  for (const name of Object.keys(options)) {
    if (!KNOWN.includes(name)) throw wrong(name, `is no option; there are ${KNOWN.join(", ")}`);
  }
  const engine = address(options.engine);
  if (typeof options.agent !== "string" || options.agent === "") throw wrong("agent", "must be the agent's name");
  for (const name of ["token", "fetch", "onApproval", "now"] as const) {
    if (options[name] !== undefined && typeof options[name] !== "function") throw wrong(name, "must be a function");
  }
  if (options.session !== undefined && (typeof options.session !== "string" || options.session === "")) {
    throw wrong("session", "must be a session's id");
  }
  const { storage } = options;
  if (storage !== undefined && !["indexeddb", "memory"].includes(storage as string) && typeof (storage as Store | null)?.takeOver !== "function") {
    throw wrong("storage", 'must be "indexeddb", "memory" or a store');
  }
  if (options.numbers !== undefined && !["exact", "number"].includes(options.numbers)) {
    throw wrong("numbers", 'must be "exact" or "number"');
  }
  validateTools(options.tools);
  validateTuning(options.tuning);
  return { ...options, engine };
}

function validateTools(tools: unknown): void {
  if (tools === undefined) return;
  if (!Array.isArray(tools)) throw wrong("tools", "must be a list");
  const bad = tools.findIndex((one) => !isTool(one));
  if (bad >= 0) throw wrong(`tools[${bad}]`, "must be made by tool()");
}

function validateTuning(tuning: unknown): void {
  if (tuning === undefined) return;
  if (typeof tuning !== "object" || tuning === null) throw wrong("tuning", "must be an object");
  for (const [name, value] of Object.entries(tuning)) {
    if (!TUNING.includes(name)) throw wrong(`tuning.${name}`, `is no option; there are ${TUNING.join(", ")}`);
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0)) {
      throw wrong(`tuning.${name}`, "must be a whole number, 0 or above");
    }
  }
}

function address(given: unknown): string {
  if (typeof given !== "string" && !(given instanceof URL)) throw wrong("engine", "must be an address");
  let url: URL;
  try {
    url = new URL(given, (globalThis as { location?: { href?: string } }).location?.href);
  } catch {
    throw wrong("engine", "must be an address");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") throw wrong("engine", "must begin with http or https");
  if (url.username !== "" || url.password !== "") throw wrong("engine", "must not hold a user name or password");
  if (url.search !== "" || url.hash !== "") throw wrong("engine", "must have neither a query nor a fragment");
  return url.href.replace(/\/+$/, "");
}

function wrong(name: string, what: string): PagehandError {
  return new PagehandError("invalid-options", `${name} ${what}`);
}
