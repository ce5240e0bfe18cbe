/**
 * Reads what the browser lists of another script's tool. All of it is that script's word: whatever is not as it should
 * be is left out and said, and nothing that is read can throw.
 */
import { messageOf } from "../errors.js";
import type { JsonSchema } from "../infer.js";
import type { ToolAnnotations } from "../tool.js";
import type { Hints, ListedTool } from "./context.js";

/** What is known of it. */
export interface Foreign {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema | undefined;
  readonly annotations: ToolAnnotations;
  /** What tells whether a tool of a name is another one now. */
  readonly mark: string;
  /** What is odd about it, in words. */
  readonly oddity: string | undefined;
  /** The listed thing itself, which the browser runs it by. */
  readonly listed: ListedTool;
}

/** What more is left out of: a model reads descriptions and schemas on every turn. */
const MAX_DESCRIPTION = 4_000;
const MAX_SCHEMA = 65_536;

/** Reads it; nothing where it has no name. */
export function readForeign(listed: unknown): Foreign | undefined {
  try {
    if (typeof listed !== "object" || listed === null) return undefined;
    const { name, description, inputSchema, annotations } = listed as ListedTool;
    if (typeof name !== "string" || name === "") return undefined;
    const words = typeof description === "string" ? description : "";
    const known = {
      name,
      description: words.length > MAX_DESCRIPTION ? `${words.slice(0, MAX_DESCRIPTION)}…` : words,
      annotations: annotationsOf(annotations as Hints | null | undefined),
    };
    const { text, ...schema } = schemaOf(inputSchema);
    return { ...known, ...schema, mark: JSON.stringify([known, text]), listed };
  } catch {
    return undefined;
  }
}

/** The schema: an object, or the JSON text of one, as older browsers give it. The text is there where it can be used. */
function schemaOf(given: unknown): Pick<Foreign, "schema" | "oddity"> & { text?: string } {
  if (given === undefined || given === null || given === "") return { schema: undefined, oddity: undefined };
  try {
    const text = typeof given === "string" ? given : JSON.stringify(given);
    if (typeof text !== "string") throw new Error("it is no object");
    if (text.length > MAX_SCHEMA) throw new Error(`it takes ${text.length} characters, more than ${MAX_SCHEMA}`);
    const schema: unknown = JSON.parse(text);
    if (typeof schema !== "object" || schema === null || Array.isArray(schema)) throw new Error("it is no object");
    return { text, schema: schema as JsonSchema, oddity: undefined };
  } catch (thrown) {
    return { schema: undefined, oddity: `its input schema cannot be used, so its calls go unchecked: ${messageOf(thrown)}` };
  }
}

function annotationsOf(hints: Hints | null | undefined): ToolAnnotations {
  return {
    ...(hints?.readOnlyHint === true && { readOnly: true }),
    ...(hints?.consequentialHint === true && { destructive: true }),
    ...(hints?.untrustedContentHint === true && { untrusted: true }),
  };
}
