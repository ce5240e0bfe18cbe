/**
 * Asks and waits: what a form, a yes-or-no question and a click become for whoever asked. How it is shown is given.
 * What it needs of the first load it is given, too; misuse is thrown as `invalid-options`.
 */
import type { Given } from "../given.js";
import type { AnySchema, JsonSchema } from "../infer.js";
import { answerCheck } from "./checked.js";
import { type Ending, type OpenQuestion, type Question, type QuestionCall, type QuestionParts, openQuestion } from "./question.js";

/** What every question may say of itself. */
export interface RequestFields {
  /** What it is about, in a line. */
  readonly title: string;
  /** More of it. */
  readonly message?: string | undefined;
  readonly submitLabel?: string | undefined;
  readonly cancelLabel?: string | undefined;
  /** When it is over at the latest, in milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
  /** Withdraws it. */
  readonly signal?: AbortSignal | undefined;
}

/** A form to ask for. */
export interface FormRequest<S extends AnySchema = AnySchema> extends RequestFields {
  /** What the answer must fit: a JSON Schema or a Standard Schema. */
  readonly schema: S;
  /** The JSON Schema to draw, where a Standard Schema does not carry one. */
  readonly inputSchema?: JsonSchema | undefined;
  /** What the fields begin with. */
  readonly initial?: unknown;
}

/** A yes-or-no question. */
export type ConfirmRequest = RequestFields;

/** Shows a question. */
export type Present = (question: Question) => void;

/** What whoever asks on behalf of a call adds. @internal */
export interface Extras {
  readonly call?: QuestionCall | undefined;
  readonly keep?: ((value: unknown) => void) | undefined;
  /** Hears of the question before it is shown. */
  readonly opened?: ((open: OpenQuestion) => void) | undefined;
}

/** Asks for values. Resolves to what the schema lets pass; rejects with code `declined`, or `cancelled` once nobody waits. @internal */
export async function askForm(given: Given, present: Present, request: FormRequest, extras: Extras = {}): Promise<unknown> {
  const { schema, inputSchema, initial, ...fields } = lookedOver(given, request);
  if (typeof schema !== "boolean" && ((typeof schema !== "object" && typeof schema !== "function") || schema === null || Array.isArray(schema))) {
    throw new given.PagehandError("invalid-options", "schema must be a JSON Schema or a Standard Schema");
  }
  const check = answerCheck(given, schema, inputSchema);
  const open = ask(given, present, { ...fields, kind: "form", schema: check.schema, initial, check: (value) => check.check(value) }, extras);
  const complaint = await Promise.race([open.ended.then(() => undefined), check.complaint]);
  if (complaint !== undefined) {
    open.withdraw();
    throw new given.PagehandError("invalid-schema", `the schema of the question "${request.title.slice(0, 80)}" does not compile: ${complaint}`);
  }
  return answerOf(given, await open.ended);
}

/** Asks for a yes or no. Resolves to whether it was yes; rejects with `cancelled` once nobody waits. @internal */
export async function askConfirm(given: Given, present: Present, request: string | ConfirmRequest, extras: Extras = {}): Promise<boolean> {
  const fields = lookedOver(given, typeof request === "string" ? { title: request } : request);
  const check = (value: unknown) =>
    typeof value === "boolean" ? { value } : ({ ok: false, code: "invalid", problem: "the answer to a yes-or-no question is true or false" } as const);
  const ending = await ask(given, present, { ...fields, kind: "confirm", check }, extras).ended;
  if (ending.state === "declined" || ending.state === "expired") return false;
  return answerOf(given, ending) === true;
}

/**
 * Asks for a click, as browsers demand before they grant some permissions. `run` is called within the click; its
 * result is what this resolves to. @internal
 */
export async function askForClick<Result>(given: Given, present: Present, request: RequestFields, run: () => Result): Promise<Awaited<Result>> {
  const fields = lookedOver(given, request);
  const check = () => {
    try {
      return { value: Promise.resolve(run()) };
    } catch (error) {
      return { value: Promise.reject(error) };
    }
  };
  const ending = await ask(given, present, { ...fields, kind: "button", check }).ended;
  return (await answerOf(given, ending)) as Awaited<Result>;
}

/** Opens a question and has it shown. @internal */
export function ask(given: Given, present: Present, parts: QuestionParts, { call, keep, opened }: Extras = {}): OpenQuestion {
  const open = openQuestion({ ...parts, call: parts.call ?? call, keep: parts.keep ?? keep });
  if (open.question.signal.aborted) return open;
  opened?.(open);
  try {
    present(open.question);
  } catch (error) {
    open.question.decline(`the question could not be shown: ${given.messageOf(error)}`);
  }
  return open;
}

/** What an ending is for whoever asked. @internal */
export function answerOf(given: Given, ending: Ending): unknown {
  switch (ending.state) {
    case "answered":
      return ending.value;
    case "declined":
      throw new given.PagehandError("declined", ending.reason ? `the user declined: ${ending.reason}` : "the user declined");
    case "expired":
      throw new given.PagehandError("declined", "the user did not answer in time");
    case "withdrawn":
      throw new given.PagehandError("cancelled", ending.reason ?? "the question was withdrawn");
  }
}

function lookedOver<R extends RequestFields>(given: Given, request: R): R {
  const wrong = (what: string): never => {
    throw new given.PagehandError("invalid-options", what);
  };
  if (typeof request !== "object" || request === null) wrong("what is asked must be an object with a title");
  for (const name of ["title", "message", "submitLabel", "cancelLabel"] as const) {
    const value: unknown = request[name];
    if (name === "title" ? typeof value !== "string" || value.trim() === "" : value !== undefined && typeof value !== "string") wrong(`${name} must be text`);
  }
  if (request.expiresAt !== undefined && !Number.isFinite(request.expiresAt)) wrong("expiresAt must be milliseconds since the epoch");
  return request;
}
