/**
 * JSON Schema in the browser, as an entry of its own (`pagehand/schema`): compiled Rust, no `eval`,
 * no remote fetch. The WASM file is loaded by the first `compile`.
 */
import { type Draft, compileSchema } from "./compiled.js";
import { PagehandError, type Issue, messageOf } from "./errors.js";
import { checkerFile, schemaFile, schemaKit } from "./files.js";
import type { JsonSchema } from "./infer.js";
import type { MaybePromise, WasmSource } from "./load.js";
import { toJsonText } from "./serialise.js";

export type { Draft } from "./compiled.js";
export { PagehandError } from "./errors.js";
export type { Issue } from "./errors.js";
export type { FromSchema, JsonSchema } from "./infer.js";
export type { MaybePromise, WasmSource } from "./load.js";

/** A compiled schema. */
export interface Validator {
  /**
   * Every way in which a value breaks the schema; none if it fits. A string is taken for JSON text, which
   * is checked to the last digit; a JavaScript string is checked as `JSON.stringify(text)`.
   */
  check(value: unknown): Issue[];
}

/** Options of {@link compile}. */
export interface CompileOptions {
  /** The draft to read a schema by that does not name one. @defaultValue `"2020-12"` */
  draft?: Draft | undefined;
}

/**
 * Loads the validator ahead of its first use, or from addresses of your own: `source` for all of JSON Schema, `checker`
 * for the small part of it that most schemas need, which comes first.
 */
export async function init(source?: MaybePromise<WasmSource>, checker?: MaybePromise<WasmSource>): Promise<void> {
  await Promise.all([schemaFile.load(source), checkerFile.load(checker)]);
}

/** Compiles a schema. Rejects with `invalid-schema` if it is none, or with a load error. */
export async function compile(schema: JsonSchema, options: CompileOptions = {}): Promise<Validator> {
  const draft: unknown = options?.draft;
  if (draft !== undefined && typeof draft !== "string") {
    throw new PagehandError("invalid-options", 'option `draft` must be a string: "4", "6", "7", "2019-09" or "2020-12"');
  }
  const compiled = await compileSchema(schemaKit, schema, { draft: options?.draft });
  return { check: (value) => compiled.check(typeof value === "string" ? value : toJsonText(value, messageOf)) };
}
