/**
 * The bundled engine's settings, scripts, faults and records, as types. The engine itself refuses what
 * it does not know, so these say what is common and leave room for the rest.
 */

/** One scripted tool call. A string of arguments goes out verbatim, anything else as JSON. */
export interface ScriptCall {
  name: string;
  arguments?: unknown;
  id?: string;
}

/** One scripted reply of the model. */
export interface ScriptReply {
  say?: string;
  call?: ScriptCall[];
  error?: { message: string; code?: string; retryable?: boolean };
  interrupt?: { id?: string; reason?: string; payload?: unknown; clientMayResume?: boolean };
  delayMs?: number;
}

/** A reply and when to give it. */
export interface ScriptRule extends ScriptReply {
  when?: { user?: string; after?: string; error?: boolean; result?: string; action?: string };
  times?: number;
}

/** What the scripted model says: `replies` in order, then the first rule that fits, then `otherwise`. */
export interface Script {
  replies?: ScriptReply[];
  rules?: ScriptRule[];
  otherwise?: ScriptReply;
}

/** A fault: its kind and its fields. */
export interface EngineFault {
  kind:
    | "duplicateFrame"
    | "reorderFrames"
    | "garbleFrame"
    | "delayFrames"
    | "cutStream"
    | "stall"
    | "loseRequest"
    | "delayRequest"
    | "dropResponse"
    | "delayResponse"
    | "refuse"
    | "authDown"
    | "decisionFails"
    | "restart";
  [field: string]: unknown;
}

/** A tool as the engine's configuration lists it. */
export interface EngineTool {
  name: string;
  description?: string;
  input?: unknown;
  output?: unknown;
  handler?: "client" | "worker" | "server";
}

/** An agent as the engine's configuration has it. */
export interface EngineAgent {
  tools?: EngineTool[];
  stream?: boolean;
  /** What its scripted model says; absent is the engine's own script. */
  script?: Script;
  /** What a parent's model reads of it. */
  description?: string;
  /** The agents it may call, each by a key of `agents`. */
  subagents?: { id: string; description?: string }[];
  maxSubagentDepth?: number;
  [field: string]: unknown;
}

/** Readings of the points on which an engine's documents, sources and versions differ; the engine's documentation has all. */
export interface EngineSwitches {
  /**
   * What happens to an AG-UI run that comes while a turn is under way. `"taken"`: it joins the turn, and its answers settle
   * calls. `"dropped"`: it is swallowed, unless it resumes an interrupt, and its stream says only that it started.
   * @defaultValue "taken"
   */
  agUiAnswers?: "taken" | "dropped";
  /**
   * When an AG-UI run ends for calls that the page is to run. `"whole"`: once every call of the reply is told.
   * `"early"`: at the first one; later ones are not told, or only as far as they were streamed.
   * @defaultValue "whole"
   */
  agUiRunEnd?: "whole" | "early";
  /** Whether AG-UI events have an `event:` line before their data. @defaultValue true */
  agUiEventLines?: boolean;
  [name: string]: unknown;
}

/** Settings of the engine; every one has a default. */
export interface EngineSettings {
  seed?: number;
  apiKey?: string;
  leewaySecs?: number;
  bodyLimit?: number;
  keepAliveMs?: number;
  deltaIntervalMs?: number;
  decisionMs?: number;
  /** How long an external worker may take for one attempt at a decision. */
  workerTimeoutMs?: number;
  dispatchDelayMs?: number;
  retryLatencyMs?: number;
  script?: Script;
  agent?: EngineAgent;
  /** Agents by their id, where they differ; only these can be sub-agents. */
  agents?: Record<string, EngineAgent>;
  /** How many parents a session may have. @defaultValue 5 */
  maxSubagentDepth?: number;
  switches?: EngineSwitches;
  faults?: EngineFault[];
}

/** What an operator may do; see the engine's documentation. */
export interface EngineOperator {
  action: "cancel" | "interrupt" | "resume" | "moveHead";
  sessionId: string;
  [field: string]: unknown;
}

/** A model request, for those who answer them by themselves. */
export interface ModelRequest {
  sessionId: string;
  agent: string;
  /** The conversation, as on the wire. */
  messages: unknown[];
  tools: EngineTool[];
  /** The model and the system prompt, where a worker names them. */
  model?: string;
  system?: string;
}

/** The answer to one. */
export interface ModelReply {
  text?: string;
  toolCalls?: { id?: string; name: string; arguments: string }[];
  error?: { message: string; code?: string; retryable?: boolean };
}

/** A piece of a model's reply, to be shown before the reply is whole. */
export interface ModelDelta {
  text?: string | null;
  toolCalls?: { id?: string; name: string; arguments: string }[];
}

/** Shows a piece. */
export type ShowDelta = (delta: ModelDelta) => void;

/** One try to settle a call. */
export interface EngineSettlement {
  at: number;
  attempt: number;
  by: string;
  accepted: boolean;
  status: number;
  body: unknown;
}

/** A call as the engine knows it. */
export interface EngineCall {
  id: string;
  name: string;
  attempt: number;
  status: string;
  arguments: string;
  handler: string;
  settlements: EngineSettlement[];
  result: unknown;
  error: unknown;
  /** What the model reads of it. */
  rendered: string | null;
}

/** A sub-agent's call as the engine knows it. */
export interface EngineChild {
  /** The child's session; it exists once the call has started. */
  sessionId: string;
  agentId: string;
  toolCallId: string;
  status: string;
  /** The child's turn, once started. */
  turnId: string | null;
  /** What the model reads of it. */
  rendered: string | null;
}

/** One event of a session's log. */
export interface EngineEvent {
  seq: number;
  at: number;
  turnId: string | null;
  payload: { type: string; [field: string]: unknown };
}

/** What the engine outputs, as its WASM gives it. @internal */
export type EngineOutput =
  | { type: "response"; id: number; status: number; headers: [string, string][]; text?: string; base64?: string }
  | { type: "streamOpened"; id: number; headers: [string, string][] }
  | { type: "streamBytes"; id: number; text?: string; base64?: string }
  | { type: "streamEnded"; id: number }
  | { type: "connectionLost"; id: number }
  | ({ type: "modelAsked"; call: string; stream: boolean } & ModelRequest)
  | { type: "workerAsked"; decision: string; attempt: number; request: string };
