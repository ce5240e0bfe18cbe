/**
 * The options of a runtime: what they are, and their validation. What is wrong is thrown at once,
 * with the option's name. No message quotes a value that may be a secret.
 */
import type { AgUiOptions } from "./ag-ui-options.js";
import type { Finalize } from "./artifacts.js";
import type { Policy } from "./ask/policy.js";
import type { Question } from "./ask/question.js";
import { PagehandError } from "./errors.js";
import type { AnySchema, ArtifactsOf } from "./infer.js";
import type { MaybePromise, WasmSource } from "./load.js";
import type { Numbers } from "./parse.js";
import { type Rule, type Rules, aFunction, aSchema, anObject, oneOf, validate } from "./shape.js";
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
  maxChildren?: number | undefined;
  /** Over AG-UI: how often the model may make the same calls and get the same answers, one time after another. */
  maxIdenticalRounds?: number | undefined;
  /** Over AG-UI: most runs of one turn. */
  maxRounds?: number | undefined;
  /** Over AG-UI: how long a run may be silent, where the server sends no signs of life. */
  runPatience?: number | undefined;
  /** Over AG-UI: how long a run that brings answers may show nothing but that it began. */
  stallTimeout?: number | undefined;
  /** Over AG-UI: how long a turn whose run was cut off is looked for by `connect`. */
  connectPatience?: number | undefined;
}

/** What {@link createRuntime} is given, and for each transport what it needs. */
export type RuntimeOptions<A extends AnySchema | undefined = undefined> = CommonOptions<A> & (EngineTransport | AgUiTransport);

/** An engine that talks by its own client API, or by triggers that one endpoint streams to a GET, taking answers by POST. */
export interface EngineTransport {
  /** @defaultValue `"native"` */
  transport?: "native" | "trigger" | undefined;
  /** The agent that messages are sent to. */
  agent: string;
  agUi?: undefined;
}

/** Any server that talks AG-UI. */
export interface AgUiTransport {
  transport: "ag-ui";
  /** What tells this agent's session from another's, where their address does not. */
  agent?: string | undefined;
  /** What only this transport is told. */
  agUi?: AgUiOptions | undefined;
}

/** The options that every transport has. */
export interface CommonOptions<A extends AnySchema | undefined = undefined> {
  /**
   * The engine's address; with the `trigger` transport, that of its one endpoint, with `ag-ui` that of the endpoint that
   * begins a run. A relative one counts from the page's.
   */
  engine: string | URL;
  /** Gives the bearer token; asked before each request, with `refresh` after a 401. Never stored. */
  token?: ((options: { refresh: boolean }) => MaybePromise<string | undefined>) | undefined;
  /** The tools to begin with. */
  tools?: readonly Tool[] | undefined;
  /** Types the `artifacts` of turns: a JSON Schema or a Standard Schema. Nothing is checked by it. */
  artifactsSchema?: A;
  /**
   * Makes one bag of those of a turn's calls, which come in the order the calls ended. If it throws, a warning says so.
   * @defaultValue later writes win, key by key
   */
  finalizeArtifacts?: Finalize<ArtifactsOf<A>> | undefined;
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
  /**
   * Shows a question to the person: approvals, and what handlers ask. Answer it by its own methods, at any time.
   * @defaultValue a dialog; where there is no page, questions are declined
   */
  ask?: ((question: Question) => void) | undefined;
  /**
   * Which calls may run, must be asked about, or may not run: rules, of which the first that fits decides, or a function.
   * @defaultValue what each tool says by `approve`; those marked `destructive` must be asked about
   */
  policy?: Policy | undefined;
  /** Asks the person whether a call may run, instead of a question. */
  onApproval?: ((approval: Approval) => MaybePromise<ApprovalAnswer>) | undefined;
  /** Where the runtime's WASM file comes from; over AG-UI, that transport's own. @defaultValue the package */
  wasm?: MaybePromise<WasmSource> | undefined;
  /** The clock, in milliseconds since the epoch, for tests. */
  now?: (() => number) | undefined;
  /** Other numbers than the defaults. */
  tuning?: Tuning | undefined;
}

const span: Rule = ["must be a whole number, 0 or above", (value) => Number.isSafeInteger(value) && (value as number) >= 0];

const TUNING: Rules = {
  backoffBase: span,
  backoffMax: span,
  idleTimeout: span,
  replayQuiet: span,
  unknownToolGrace: span,
  confirmTimeout: span,
  maxOpenCalls: span,
  maxRunning: span,
  maxRemembered: span,
  maxFrameBytes: span,
  maxArgumentBytes: span,
  maxArgumentDepth: span,
  maxResultBytes: span,
  maxTurns: span,
  maxChildren: span,
  maxIdenticalRounds: span,
  maxRounds: span,
  runPatience: span,
  stallTimeout: span,
  connectPatience: span,
};

const isText = (value: unknown) => typeof value === "string" && value !== "";

const AGENT = "must be the agent's name";

const RULES: Rules = {
  engine: ["must be an address", (engine) => typeof engine === "string" || engine instanceof URL, true],
  agent: [AGENT, isText],
  transport: oneOf("native", "trigger", "ag-ui"),
  agUi: anObject,
  token: aFunction,
  tools: ["must be a list", Array.isArray],
  artifactsSchema: aSchema,
  finalizeArtifacts: aFunction,
  session: ["must be a session's id", isText],
  storage: ['must be "indexeddb", "memory" or a store', (storage) => storage === "indexeddb" || storage === "memory" || typeof (storage as Store | null)?.takeOver === "function"],
  fetch: aFunction,
  numbers: oneOf("exact", "number"),
  onApproval: aFunction,
  ask: aFunction,
  policy: ["must be rules or a function", (policy) => Object(policy) === policy],
  wasm: ["", () => true],
  now: aFunction,
  tuning: anObject,
};

/** Options that were found right, and the engine's address in its final form. */
export interface Settled extends CommonOptions {
  engine: string;
  agent: string;
  transport?: RuntimeOptions["transport"];
  agUi?: AgUiOptions | undefined;
}

/** Looks them over. */
export function validateOptions(options: RuntimeOptions): Settled {
  if (!anObject[1](options)) throw wrong("the argument of createRuntime", anObject[0]);
  validate("invalid-options", options, RULES);
  const { agent = "", agUi, tools, tuning, transport } = options;
  const endpoint = transport === "trigger" || transport === "ag-ui";
  if (transport !== "ag-ui") {
    if (!agent) throw wrong("agent", AGENT);
    if (agUi) throw wrong("agUi", 'is for the "ag-ui" transport alone');
  }
  const bad = tools?.findIndex((one) => !isTool(one)) ?? -1;
  if (bad >= 0) throw wrong(`tools[${bad}]`, "must be made by tool()");
  if (tuning) validate("invalid-options", tuning, TUNING, "tuning.");
  return { ...options, agent, engine: address(options.engine, endpoint) };
}

/** The engine's address; that of one endpoint may have a query and end as it likes. */
function address(given: string | URL, endpoint: boolean): string {
  let url: URL;
  try {
    url = new URL(given, (globalThis as { location?: { href?: string } }).location?.href);
  } catch {
    throw wrong("engine", "must be an address");
  }
  if (!/^https?:$/.test(url.protocol)) throw wrong("engine", "must begin with http or https");
  if (url.username || url.password) throw wrong("engine", "must not hold a user name or password");
  if (url.hash || (url.search && !endpoint)) throw wrong("engine", `must have no ${endpoint ? "" : "query and no "}fragment`);
  return endpoint ? url.href : url.href.replace(/\/+$/, "");
}

function wrong(name: string, what: string): PagehandError {
  return new PagehandError("invalid-options", `${name} ${what}`);
}
