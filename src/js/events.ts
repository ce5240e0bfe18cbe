/**
 * What a runtime tells, as types: one discriminated union, `type` is the name to listen to.
 * Field names are the machine's. What the engine or a model controls is `unknown` here.
 */
import type { ErrorCode } from "./codes.js";
import type { Issue } from "./errors.js";

/** What makes a call one of a kind: a newer attempt is a fresh call. */
export interface CallKey {
  sessionId: string;
  callId: string;
  attempt: number;
}

/** A failure with its stable code. */
export interface Problem {
  code: ErrorCode | (string & {});
  message: string;
}

/** The states of the stream. */
export type ConnectionState = "idle" | "connecting" | "catching-up" | "open" | "waiting" | "stopped";

/** The stream's state changed. */
export interface ConnectionEvent {
  type: "connection";
  sessionId: string;
  state: ConnectionState;
  code?: ErrorCode;
  status?: number;
  hint?: string;
  retryIn?: number;
}

/** The stations of an answer on its way to the engine. */
export type DeliveryState = "sending" | "waiting" | "parked" | "sent" | "confirmed" | "refused" | "abandoned";

/** An answer went a step further. */
export interface DeliveryEvent extends CallKey {
  type: "delivery";
  remote?: true;
  state: DeliveryState;
  tries: number;
  code?: ErrorCode;
  status?: number;
  message?: string;
}

/** Something is odd, and was dealt with. */
export interface WarningEvent {
  type: "warning";
  code: ErrorCode;
  message: string;
  count: number;
}

/** The module failed for good. */
export interface FatalEvent {
  type: "fatal";
  code: ErrorCode;
  message: string;
}

/** The states of a call. */
export type CallState =
  | "received"
  | "checking"
  | "awaiting-user"
  | "queued"
  | "running"
  | "answered"
  | "stored"
  | "sending"
  | "waiting"
  | "sent"
  | "confirmed"
  | "refused"
  | "abandoned"
  | "voided";

/** What arguments were found to be. */
export type InputClass = "valid" | "invalid" | "malformed" | "unchecked";

/** A call changed its state. Events of calls are `remote` when another page of the session told of them. */
export interface CallEvent extends CallKey {
  type: "call";
  remote?: true;
  name: string;
  turnId: string | null;
  state: CallState;
  arguments?: string;
  input?: InputClass;
  issues?: Issue[];
}

/** What an event says of a tool. */
export interface ToolInfo {
  name: string;
  description?: string;
  /** What it is doing, for people. */
  action?: string;
}

/** A handler is about to run. */
export interface CallingEvent extends CallKey {
  type: "agent.tool.calling";
  remote?: true;
  tool: ToolInfo;
  turnId: string | null;
  input: unknown;
  tripIndex: number;
}

/** What happened to one call, start to end. */
export interface ToolReport extends CallKey {
  type: "tool";
  name: string;
  version?: string;
  turnId: string | null;
  tripIndex: number;
  input: unknown;
  output?: unknown;
  error?: Problem;
  status: "completed" | "failed" | "cancelled";
  startedAt: number;
  endedAt: number;
  duration: number;
  checks: { input?: InputClass; issues: Issue[] };
  delivery?: { state: DeliveryState; tries: number };
  /** What the handler put aside for the page. */
  artifacts?: Record<string, unknown>;
}

/** A call ended well: its report, under the event's name. */
export interface CalledEvent extends Omit<ToolReport, "type"> {
  type: "agent.tool.called";
  remote?: true;
  tool: ToolInfo;
}

/** A call ended badly: its report, under the event's name. */
export interface FailedEvent extends Omit<ToolReport, "type"> {
  type: "agent.tool.failed";
  remote?: true;
  tool: ToolInfo;
}

/** The engine closed its books on a call. */
export interface FinishedEvent {
  type: "tool.finished";
  remote?: true;
  id: string;
  ok: boolean;
  name: string;
  result?: unknown;
  error?: string;
}

/** A handler reported progress. */
export interface ProgressEvent extends CallKey {
  type: "tool.progress";
  name: string;
  turnId: string | null;
  value: unknown;
}

/** A turn was taken by the engine, or began. */
export interface TurnStartedEvent {
  type: "turn.started";
  turnId: string;
  queued: boolean;
}

/** A piece of the model's answer. */
export interface TextEvent {
  type: "text";
  turnId: string | null;
  messageId: string;
  delta: string;
}

/** A message joined the conversation. */
export interface MessageEvent {
  type: "message";
  turnId: string | null;
  messageId: string | null;
  role: string;
  text: string | null;
  callId: string | null;
  replayed: boolean;
}

/** How a turn ended. */
export type TurnStatus = "completed" | "failed" | "cancelled";

/** A turn ended. The last event of its turn. */
export interface TurnFinishedEvent {
  type: "turn.finished";
  turnId: string;
  status: TurnStatus;
  text: string;
  data?: unknown;
  error?: Problem;
  children: ToolReport[];
}

/** The session waits for somebody. */
export interface InterruptEvent {
  type: "interrupt";
  interruptId: string;
  reason: string | null;
  payload: unknown;
}

/** The session goes on. */
export interface ResumedEvent {
  type: "interrupt.resumed";
  interruptId: string;
}

/** Everything a runtime tells. */
export type RuntimeEvent =
  | ConnectionEvent
  | DeliveryEvent
  | WarningEvent
  | FatalEvent
  | CallEvent
  | CallingEvent
  | CalledEvent
  | FailedEvent
  | FinishedEvent
  | ProgressEvent
  | TurnStartedEvent
  | TextEvent
  | MessageEvent
  | TurnFinishedEvent
  | InterruptEvent
  | ResumedEvent;

/** The kinds of events. */
export type EventType = RuntimeEvent["type"];

/** The event of a kind. */
export type EventOf<Type extends EventType> = Extract<RuntimeEvent, { type: Type }>;

/** What one turn tells. */
export type TurnEvent = Extract<RuntimeEvent, { turnId: string | null }>;

/** An open call, as `runtime.pending` lists it. */
export interface PendingCall extends CallKey {
  name: string;
  turnId?: string;
  state: CallState;
}
