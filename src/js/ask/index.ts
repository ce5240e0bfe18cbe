/**
 * The entry `pagehand/ask`: questions to the person at the page, as a dialog or without any look. Importing it does
 * nothing.
 */
import { given } from "../given.js";
import type { AnySchema, FromSchema } from "../infer.js";
import { type ConfirmRequest, type FormRequest, type Present, type RequestFields, askConfirm, askForClick, askForm } from "./asking.js";
import { askInDialog } from "./dialog.js";

export { PagehandError } from "../errors.js";
export type { Issue } from "../errors.js";
export type { AnySchema, FromSchema, JsonSchema } from "../infer.js";
export type { ConfirmRequest, FormRequest, Present, RequestFields } from "./asking.js";
export { askInDialog } from "./dialog.js";
export type { DialogOptions } from "./dialog.js";
export type { Ending, Question, QuestionCall, QuestionKind, Refused, Taken } from "./question.js";
export { askUserTools } from "./tools.js";
export type { AskUserOptions } from "./tools.js";
export type { PartialTexts, Texts } from "./texts.js";

/**
 * Asks for values by a schema, in the dialog unless an app draws its own. Resolves to what the schema lets pass. Rejects with code `declined` when the person
 * says no, `cancelled` when the signal aborts, `invalid-schema` over a schema that does not compile.
 */
export async function ask<const S extends AnySchema>(request: FormRequest<S>, present: Present = askInDialog()): Promise<FromSchema<S>> {
  return (await askForm(given, present, request)) as FromSchema<S>;
}

/** Asks for a yes or no. */
export function confirm(request: string | ConfirmRequest, present: Present = askInDialog()): Promise<boolean> {
  return askConfirm(given, present, request);
}

/** Asks for a click and runs something within it: what a browser wants before it grants some permissions. */
export function click<Result>(request: RequestFields, run: () => Result, present: Present = askInDialog()): Promise<Awaited<Result>> {
  return askForClick(given, present, request, run);
}
