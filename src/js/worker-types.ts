/**
 * The worker protocol as types: what an engine asks its worker, and what the worker answers.
 * Names are those of the wire. `unknown` is any JSON value; times are RFC 3339; money is a decimal string.
 */

/** Answers decision requests: what a worker is. */
export type Decide = (request: DecisionRequest) => DecisionResponse | Promise<DecisionResponse>;

/** What the engine asks. One request of a session is out at a time. */
export interface DecisionRequest {
  /** The conversation. */
  session_id: string;
  decision_id: string;
  agent_id: string;
  /** The session's owner; the engine vouches for it. */
  identity: { id?: string; metadata?: Record<string, string> };
  /** Why it asks. */
  trigger: Trigger;
  /** What it would do; returned unchanged, it does that. Empty where only the worker knows. */
  proposed: DecisionResponse;
  /** What the worker last wrote as its state; `null` if it never did. */
  state: unknown;
  /** The configuration in force; `null` until one was set. */
  agent: AgentConfig | null;
  /** Calls in flight. */
  calls: Call[];
  /** How many tool and sub-agent calls are in flight. */
  pending_calls: number;
  /** The conversation that the model sees, oldest first. */
  messages: Message[];
  /** Every branch of it. */
  message_tree: { nodes: { message: Message; parent_id?: string | null }[]; head_id?: string | null };
  /** The sessions above a sub-agent's, outermost first. */
  ancestry: string[];
  /** How often this decision was delivered, this time included. */
  attempts: number;
  /** When this attempt is given up. */
  deadline: string | null;
  turn_id: string | null;
}

/** What a worker answers. `{}` does nothing, which leaves a call of its own open. */
export interface DecisionResponse {
  /** Recorded behind the head of the conversation. */
  messages?: DraftMessage[] | undefined;
  /** What the engine does next. */
  actions?: Action[] | undefined;
  /** Replaces the state; `null` keeps it. */
  state?: unknown;
  /** Replaces the configuration. */
  agent?: AgentConfig | undefined;
  /** How frontends show this decision, by kind. */
  channels?: Record<string, unknown> | undefined;
}

/** Why a worker is asked. */
export type Trigger =
  | { type: "session.start" }
  | {
      type: "client.messages";
      /** The whole conversation as the client sees it. */
      messages: DraftMessage[];
      /** Where its news begin. */
      new_from: number;
      client: ClientContext;
    }
  | { type: "client.action"; name: string; args?: unknown }
  | ToolExecute
  | ToolFinished
  | { type: "llm.execute"; id: string; request: unknown; format?: "openai" | "anthropic"; stream: boolean; attempt: number; deadline?: string }
  | {
      type: "llm.finished";
      id: string;
      ok: boolean;
      message?: DraftMessage;
      truncated: boolean;
      usage?: Usage;
      cost?: string;
      error?: ErrorInfo;
    }
  | {
      type: "sub_agent.finished" | "subagent.finished";
      /** The model's call that started it. */
      id: string;
      ok: boolean;
      /** The child's session. */
      session_id: string;
      agent_id: string;
      result?: unknown;
      error?: ErrorInfo;
    }
  | { type: "interrupt.resumed"; interrupt_id: string; payload?: unknown }
  | { type: "turn.finished"; turn_id: string; data?: unknown; cost: string; usage: Usage };

/** The model called a tool of the worker's. */
export interface ToolExecute {
  type: "tool.execute";
  id: string;
  name: string;
  /** As the model wrote them. */
  arguments: string;
  /** What the engine makes of them. */
  input: ToolInput;
  attempt: number;
  deadline?: string;
}

/** Arguments, held against the tool's `input` schema. */
export type ToolInput =
  | { status: "valid"; value: unknown }
  | { status: "invalid"; value: unknown; error: string }
  | { status: "malformed"; error: string };

/** A tool call ended for good, wherever it ran. */
export interface ToolFinished {
  type: "tool.finished";
  id: string;
  ok: boolean;
  name: string;
  result?: unknown;
  error?: ErrorInfo;
}

/** What an engine does when told to. */
export type Action =
  | {
      type: "llm.call";
      id?: string;
      llm?: string;
      model?: string;
      /** Instead of the conversation and the system prompt. */
      messages?: DraftMessage[];
      tools?: { name: string; description?: string; input?: unknown; output?: unknown }[];
      temperature?: number;
      max_completion_tokens?: number;
      reasoning?: Record<string, unknown>;
      stream?: boolean;
      retry?: RetryOverride;
    }
  | {
      type: "tool.call";
      id?: string;
      name: string;
      /** A string goes out as it is, anything else as JSON. */
      arguments?: unknown;
      handler?: "worker" | "client";
      retry?: RetryOverride;
    }
  | { type: "tool.result"; id?: string; attempt?: number; result: unknown }
  | { type: "tool.error"; id?: string; attempt?: number; error: string; retryable?: boolean; code?: string; detail?: unknown }
  | { type: "llm.result"; id?: string; attempt?: number; response: unknown }
  | { type: "llm.error"; id?: string; attempt?: number; error: string; retryable?: boolean; code?: string; detail?: unknown }
  | { type: "sub_agent.spawn"; session_id: string; agent_id: string; tool_call_id: string; message?: DraftMessage; retry?: RetryOverride }
  | { type: "message.send"; session_id: string; message: DraftMessage }
  | { type: "interrupt"; interrupt_id?: string; reason: string; payload?: unknown }
  | { type: "interrupt.resolve"; interrupt_id: string; payload?: unknown }
  | { type: "connector.sync"; id: string }
  | { type: "done"; data?: unknown };

/** An agent's configuration. Fields that are not listed here are kept by the engine. */
export interface AgentConfig {
  model: string;
  llm?: string;
  system?: string;
  retry?: { default?: RetryOverride; llm?: RetryOverride; tool?: RetryOverride; [kind: string]: RetryOverride | null | undefined };
  tools?: AgentTool[];
  [field: string]: unknown;
}

/** A tool as an engine knows it. */
export interface AgentTool {
  name: string;
  description?: string;
  /** JSON Schema of the arguments. */
  input?: unknown;
  /** JSON Schema of the result. */
  output?: unknown;
  /** Where it runs; the worker, if nothing is said. */
  handler?: "worker" | "client" | "server";
  defer?: boolean;
}

/** What a client gives along with messages. */
export interface ClientContext {
  tools?: AgentTool[];
  context?: unknown[];
  state?: unknown;
  forwarded_props?: unknown;
}

/** A call in flight. */
export interface Call {
  id: string;
  kind: "tool_call" | "llm_call" | "sub_agent" | "subagent" | "connector_sync";
  status: "pending" | "completed" | "failed" | "retry_scheduled" | "queued";
  attempt: number;
  deadline?: string;
  /** The message that asked for it. */
  anchor?: string;
  name?: string;
  arguments?: string;
  handler?: "server" | "worker" | "client";
  stream?: boolean;
  agent_id?: string;
  tool_call_id?: string;
}

/** Changes to a retry policy; what is not named stays. */
export interface RetryOverride {
  queue_timeout_secs?: number | null;
  run_timeout_secs?: number | null;
  attempt_timeout_secs?: number | null;
  total_timeout_secs?: number | null;
  max_attempts?: number;
  backoff_base_secs?: number;
  backoff_max_secs?: number;
}

/** A message that is not recorded yet. */
export interface DraftMessage {
  id?: string;
  role: "system" | "user" | "assistant" | "tool";
  content?: string | ContentPart[];
  tool_calls?: { id: string; type: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
  name?: string;
}

/** A recorded message. */
export type Message = DraftMessage & { id: string };

/** A part of a message's content; `type` says which other fields it has. */
export interface ContentPart {
  type: string;
  text?: string;
  [field: string]: unknown;
}

/** A failure. */
export interface ErrorInfo {
  message: string;
  code: string;
  param?: string;
  detail?: unknown;
}

/** Tokens of a model call or a turn. */
export interface Usage {
  input: number;
  output: number;
  uncached_input: number;
  cache_read: number;
  cache_write: number;
  total: number;
  provider?: unknown;
}
