/**
 * The error classes. All extend one base with a stable `code`; branch on that, never on a message.
 * No message here may hold a token, a stack, or anything the server sent unshortened.
 */
import type { ErrorCode } from "./codes.js";

/** One way in which a value breaks its schema. */
export interface Issue {
  /** Where in the value, as a JSON pointer; empty for the root. */
  path: string;
  /** The schema keyword that refused. */
  keyword: string;
  /** A sentence a model can repair its call from. */
  message: string;
  /** What the schema asks for, in words. */
  expected?: string | undefined;
  /** What came, shortened. */
  got?: string | undefined;
  /** What to do about it, where that can be guessed. */
  hint?: string | undefined;
}

/** What every error of this package is. */
export class PagehandError extends Error {
  override readonly name: string = "PagehandError";
  /** The stable code. Errors the engine made may carry codes of its own. */
  readonly code: ErrorCode | (string & {});

  constructor(code: ErrorCode | (string & {}), message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A value does not fit its schema, or its validator failed; then `cause` says how. */
export class SchemaValidationError extends PagehandError {
  override readonly name: string = "SchemaValidationError";
  /** What part of the contract was broken. */
  readonly category = "schema";
  /** Every violation. */
  readonly issues: readonly Issue[];

  constructor(message: string, issues: readonly Issue[] = [], options?: ErrorOptions) {
    super("SCHEMA_VALIDATION_FAILED", message, options);
    this.issues = issues;
  }
}

/** A tool threw; `cause` is what it threw. */
export class ToolExecutionError extends PagehandError {
  override readonly name: string = "ToolExecutionError";
  /** What part of the contract was broken. */
  readonly category = "tool";
  /** The tool's name. */
  readonly toolName: string;
  /** How many model replies the turn had before the one that made this call. */
  readonly tripIndex: number | undefined;

  constructor(toolName: string, message: string, options?: ErrorOptions & { tripIndex?: number | undefined }) {
    super("TOOL_EXEC_FAILED", message, options);
    this.toolName = toolName;
    this.tripIndex = options?.tripIndex;
  }
}

/** Longest text that is made of something a handler threw; a model reads no more of it. */
const MAX_MESSAGE = 2_000;

/** The message of a thrown thing, whatever it is. */
export function messageOf(thrown: unknown): string {
  let text: unknown;
  try {
    text = thrown instanceof Error || (typeof thrown === "object" && thrown !== null && "message" in thrown) ? thrown.message : thrown;
    text = typeof text === "string" && text !== "" ? text : (thrown as { name?: unknown } | null)?.name;
    if (typeof text !== "string" || text === "") text = String(thrown);
  } catch {
    text = "something that has no text was thrown";
  }
  const words = text as string;
  return words.length > MAX_MESSAGE ? `${words.slice(0, MAX_MESSAGE)}…` : words;
}
