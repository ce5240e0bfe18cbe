/**
 * What each kind of question looks like in the dialog: its words, where the focus begins, what it shows.
 */
import { type Field, fieldOf } from "./fields.js";
import { make } from "./make.js";
import type { Question } from "./question.js";
import { type Texts, fill } from "./texts.js";
import { jsonOf, visible } from "./values.js";

/** A look. */
export interface Look {
  readonly title: string;
  readonly submit: string;
  /** None where there is nothing to cancel. */
  readonly cancel: string | undefined;
  readonly notes: readonly string[];
  /** Whether there are fields to fill in. */
  readonly fields: boolean;
  /** Values that are shown and not changed. */
  readonly shows?: unknown;
  /** Whether a no may come with a reason. */
  readonly reason: boolean;
  readonly alert: boolean;
  /** Where the focus begins. A call must not be allowed by a key that was meant for the page. */
  readonly first: "field" | "title" | "submit";
}

/** The look of a question. */
export function lookOf(question: Question, texts: Texts): Look {
  const { kind, title, submitLabel, cancelLabel, call } = question;
  const base = { title, notes: [], fields: false, reason: false, alert: false };
  switch (kind) {
    case "form":
      return { ...base, fields: true, submit: submitLabel ?? texts.submit, cancel: cancelLabel ?? texts.cancel, first: "field" };
    case "confirm":
      return { ...base, alert: true, submit: submitLabel ?? texts.yes, cancel: cancelLabel ?? texts.no, first: "submit" };
    case "button":
      return { ...base, submit: submitLabel ?? texts.proceed, cancel: cancelLabel ?? texts.cancel, first: "submit" };
    case "approval": {
      const tool = call?.name ?? "";
      const covers = call?.covers;
      const editable = call?.editable === true;
      return {
        title: visible(title === tool ? fill(texts.approvalTitle, { tool }) : title),
        submit: submitLabel ?? texts.allow,
        cancel: cancelLabel ?? texts.decline,
        notes: [fill(texts.approvalNote, { tool }), ...(covers ? [fill(texts.covers, { tool: covers.tool, minutes: Math.max(1, Math.round(covers.milliseconds / 60_000)) })] : [])],
        fields: editable,
        // A form shows neither what hides in a text nor what its schema does not describe.
        ...(editable && isDrawn(fieldOf(question.schema), call?.input) ? {} : { shows: call?.input ?? {} }),
        reason: true,
        alert: true,
        first: "title",
      };
    }
  }
}

/** Whether a form shows all of a value. */
function isDrawn(field: Field, value: unknown): boolean {
  if (typeof value === "string") return visible(value) === value;
  if (typeof value !== "object" || value === null || field.kind === "json") return true;
  if (field.kind === "branches") return field.branches.some((branch) => isDrawn(branch, value));
  if (Array.isArray(value)) return value.every((one) => isDrawn(field.kind === "list" ? field.item : field, one));
  const parts = field.kind === "group" ? new Map(field.parts.map((part) => [part.name, part.field])) : undefined;
  return Object.entries(value).every(([name, one]) => {
    const part = parts?.get(name);
    return part !== undefined && isDrawn(part, one);
  });
}

/** The exact values of a call: texts as they are, everything else as JSON, nothing hidden. */
export function argumentList(input: unknown, texts: Texts): HTMLElement {
  const entries = typeof input === "object" && input !== null && !Array.isArray(input) ? Object.entries(input) : [["", input] as const];
  if (entries.length === 0) return make("p", { part: "note", class: "note" }, texts.noArguments);
  // Long ones are scrolled, which keys can do only where the focus can be.
  const list = make("dl");
  for (const [name, value] of entries) {
    const term = make("dt", { part: "argument-name" }, visible(name) || texts.arguments);
    const shown = typeof value === "string" ? make("dd", { part: "argument-value" }, visible(value)) : make("dd", { part: "argument-value", class: "value", dir: "ltr" }, visible(jsonOf(value)));
    list.append(term, shown);
  }
  return make("div", { part: "arguments", class: "arguments", tabindex: "0", role: "group", "aria-label": texts.arguments }, list);
}
