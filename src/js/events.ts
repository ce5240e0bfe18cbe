/**
 * What a runtime tells, as types: one discriminated union, `type` is the name to listen to.
 * Field names are the machine's. What the engine or a model controls is `unknown` here.
 */
import type { QuestionKind } from "./ask/question.js";
import type { ErrorCode } from "./codes.js";
import type { Issue, PagehandError } from "./errors.js";

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

/** A report of something else that a tool ran, as that made it. */
export type ForeignReport = { readonly type?: unknown; readonly [field: string]: unknown };

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
  /** Who agreed to it, where somebody had to. */
  consent?: ConsentReport;
  /** What the handler put aside for the page. */
  artifacts?: Record<string, unknown>;
  /** The reports of what the handler itself ran: other tools, a workflow. */
  children?: readonly (ToolReport | ForeignReport)[];
}

/** What happened in the session of one child agent. */
export interface AgentReport {
  type: "agent";
  sessionId: string;
  /** The call that started it. */
  callId?: string;
  name?: string;
  turnId: string | null;
  tripIndex: number;
  status: TurnStatus;
  error?: Problem;
  startedAt: number;
  endedAt: number;
  duration: number;
  /** Its calls and its own child agents, in the order they ended. */
  children: (ToolReport | AgentReport)[];
}

/** A call ended well: its report, under the event's name. */
export interface CalledEvent extends Omit<ToolReport, "type"> {
  type: "agent.tool.called";
  remote?: true;
  tool: ToolInfo;
}

/** A call ended badly: its report, under the event's name, with the error itself. */
export interface FailedEvent extends Omit<ToolReport, "type" | "error"> {
  type: "agent.tool.failed";
  remote?: true;
  tool: ToolInfo;
  error: PagehandError;
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

/** A piece of what the model shows of its reasoning. */
export interface ReasoningEvent {
  type: "reasoning";
  turnId: string | null;
  messageId: string;
  delta: string;
}

/** The state that the agent shares is another: all of it, after each snapshot or patch. */
export interface StateEvent {
  type: "state";
  turnId: string | null;
  state: unknown;
}

/** What an agent does beside talking, for the page to show. */
export interface ActivityEvent {
  type: "activity";
  turnId: string | null;
  messageId: string;
  activityType: string;
  /** All of it, after each snapshot or patch. */
  content: unknown;
}

/** A step of the agent began or ended. */
export interface StepEvent {
  type: "step";
  turnId: string | null;
  name: string;
  status: "started" | "finished";
}

/** Something that this server and this page agreed on. */
export interface AgentCustomEvent {
  type: "custom";
  turnId: string | null;
  name: string;
  value: unknown;
}

/** An event of a kind that is not known here, or one of another protocol that the server passed on: kept whole. */
export interface RawEvent {
  type: "raw";
  turnId: string | null;
  /** The event's own type. */
  name: string;
  event: unknown;
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
  children: (ToolReport | AgentReport)[];
  /** What its calls put aside for the page, as one bag; for turns that this page opened. */
  artifacts?: Record<string, unknown>;
}

/** Something for which a session waits, until somebody resumes it. */
export interface Interrupt {
  sessionId: string;
  interruptId: string;
  turnId: string | null;
  reason: string | null;
  /** What the engine attached. */
  payload: unknown;
}

/** A session waits for somebody. Told for each interrupt that is open, once history is read. */
export interface InterruptEvent extends Interrupt {
  type: "interrupt";
}

/** The session goes on. */
export interface ResumedEvent {
  type: "interrupt.resumed";
  sessionId: string;
  interruptId: string;
  turnId: string | null;
  /** What it was resumed with. */
  payload: unknown;
}

/** The engine did not take a resume. */
export interface ResumeRefusedEvent {
  type: "interrupt.refused";
  sessionId: string;
  interruptId: string;
  turnId: string | null;
  error: Problem;
}

/** A question to the person at the page was asked, or is over. */
export interface QuestionEvent extends Partial<CallKey> {
  type: "question";
  state: "asked" | "answered" | "declined" | "withdrawn" | "expired";
  id: string;
  kind: QuestionKind;
  title: string;
  /** The tool that asks, or is asked about. */
  name?: string;
}

/** Whether a call might run was decided on: by the page's policy, by an earlier yes, or by the person. */
export interface ConsentReport {
  by: "policy" | "grant" | "user";
  allowed: boolean;
  /** What the arguments were, where the person changed them. */
  edited?: { from: unknown };
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
  | QuestionEvent
  | TurnStartedEvent
  | TextEvent
  | ReasoningEvent
  | StateEvent
  | ActivityEvent
  | StepEvent
  | AgentCustomEvent
  | RawEvent
  | MessageEvent
  | TurnFinishedEvent
  | InterruptEvent
  | ResumedEvent
  | ResumeRefusedEvent;

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
