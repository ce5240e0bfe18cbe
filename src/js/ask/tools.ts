/**
 * Tools by which the model itself asks the person at the page. What it writes is shown as text and never trusted: its
 * schema is capped, holds no reference to elsewhere and no pattern, and asks for no secrets.
 */
import type { FormRequest } from "./asking.js";
import type { JsonSchema } from "../infer.js";
import { type Tool, tool } from "../tool.js";

/** Limits of what the model may ask. */
export interface AskUserOptions {
  /** Most fields of one form, nested ones too. @defaultValue `20` */
  readonly maxFields?: number | undefined;
  /** Longest schema, in characters of JSON. @defaultValue `8000` */
  readonly maxLength?: number | undefined;
}

/** Deepest nesting of a schema the model writes. */
const MAX_DEPTH = 12;
/** Keywords that name other places, that a person cannot be shown, or that can be made to run without end. */
const REFUSED = ["$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$schema", "pattern", "patternProperties", "unevaluatedProperties", "unevaluatedItems"];
/** Keywords whose members are schemas by names of the author's own. */
const NAMED = ["properties", "$defs", "definitions", "dependentSchemas"];
/** Keywords whose values are data. */
const DATA = ["enum", "const", "default", "examples", "enumNames", "x-enumNames", "required"];

/** `ask_user` and `confirm_with_user`. Both change nothing, so that a reload asks again. */
export function askUserTools({ maxFields = 20, maxLength = 8_000 }: AskUserOptions = {}): Tool[] {
  const line = { type: "string", minLength: 1, maxLength: 200 } as const;
  const text = { type: "string", maxLength: 2_000 } as const;
  const label = { type: "string", minLength: 1, maxLength: 40 } as const;
  const annotations = { readOnly: true } as const;
  return [
    tool({
      name: "ask_user",
      description:
        "Asks the user to fill in a form, and gives what they entered. Use it for facts that only the user knows. `schema` is the JSON Schema of an object: give each property a title, and a description where it helps. Never ask for passwords or other secrets. The user may decline.",
      action: ({ title }) => `Asking: ${title}`,
      annotations,
      input: {
        type: "object",
        properties: { title: line, message: text, schema: { type: "object", description: "JSON Schema of the object to fill in" }, submitLabel: label },
        required: ["title", "schema"],
        additionalProperties: false,
      },
      execute: ({ schema, ...rest }, context) => {
        const problem = problemOf(schema, maxFields, maxLength);
        if (problem !== undefined) throw new TypeError(`the schema cannot be asked for: ${problem}`);
        return context.ask({ ...rest, schema: schema as JsonSchema } as FormRequest<JsonSchema>);
      },
    }),
    tool({
      name: "confirm_with_user",
      description: "Asks the user a question that is answered by yes or no, and gives which.",
      action: ({ question }) => `Asking: ${question}`,
      annotations,
      input: {
        type: "object",
        properties: { question: line, message: text, yesLabel: label, noLabel: label },
        required: ["question"],
        additionalProperties: false,
      },
      execute: async ({ question, message, yesLabel, noLabel }, context) => ({
        confirmed: await context.confirm({ title: question, message, submitLabel: yesLabel, cancelLabel: noLabel }),
      }),
    }),
  ] as unknown as Tool[];
}

/** Why a model's schema is not asked for; nothing if it is. */
function problemOf(schema: unknown, maxFields: number, maxLength: number): string | undefined {
  if (!isRecord(schema) || schema["type"] !== "object" || !isRecord(schema["properties"])) return 'it must be of type "object" with properties';
  if (JSON.stringify(schema).length > maxLength) return `it is longer than ${maxLength} characters`;
  let fields = 0;
  const look = (value: unknown, at: string, depth: number): string | undefined => {
    if (depth > MAX_DEPTH) return `it is nested deeper than ${MAX_DEPTH} levels`;
    if (Array.isArray(value)) return first(value.map((one, index) => () => look(one, `${at}/${index}`, depth + 1)));
    if (!isRecord(value)) return undefined;
    return first(
      Object.entries(value).map(([keyword, inner]) => () => {
        const place = `${at}/${keyword}`;
        if (REFUSED.includes(keyword)) return `${place} is not allowed`;
        if (keyword === "$ref" && !(typeof inner === "string" && inner.startsWith("#/"))) return `${place} must begin with "#/"`;
        if (keyword === "format" && inner === "password") return `${place}: secrets are not asked for`;
        if (DATA.includes(keyword)) return undefined;
        if (!NAMED.includes(keyword) || !isRecord(inner)) return look(inner, place, depth + 1);
        if (keyword === "properties") fields += Object.keys(inner).length;
        if (fields > maxFields) return `it has more than ${maxFields} fields`;
        return first(Object.entries(inner).map(([name, one]) => () => look(one, `${place}/${name}`, depth + 1)));
      }),
    );
  };
  return look(schema, "", 0);
}

function first(looks: (() => string | undefined)[]): string | undefined {
  for (const look of looks) {
    const found = look();
    if (found !== undefined) return found;
  }
  return undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
