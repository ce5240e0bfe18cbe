/**
 * JSON Schemas compiled by the schema WASM file, which the first of them loads, as it does this module: whatever
 * that needs of the first load it is given.
 */
import type { ErrorCode } from "./codes.js";
import type { Issue, PagehandError } from "./errors.js";
import type { JsonSchema } from "./infer.js";
import type * as SchemaGlue from "./wasm/schema.js";
import { toJsonText } from "./serialise.js";

/** The drafts of JSON Schema. */
export type Draft = "4" | "6" | "7" | "2019-09" | "2020-12";

/** What a developer should hear about a schema. */
export interface Finding {
  level: string;
  path: string;
  message: string;
  hint?: string;
}

/** A compiled schema. */
export class CompiledSchema {
  readonly #raw: SchemaGlue.RawSchema;
  /** What there is to say about the schema itself. */
  readonly findings: readonly Finding[];

  constructor(raw: SchemaGlue.RawSchema, findings: readonly Finding[]) {
    this.#raw = raw;
    this.findings = findings;
  }

  /** The issues of one JSON document. */
  check(text: string): Issue[] {
    return JSON.parse(this.#raw.checkText(text)) as Issue[];
  }

  /** The issues of a result as a model reads it: JSON where it parses, else a string. */
  checkResult(text: string): Issue[] {
    return JSON.parse(this.#raw.checkResult(text)) as Issue[];
  }
}

/** What it needs of whoever loads it. @internal */
export interface SchemaKit {
  /** Loads the WASM file. */
  load(): Promise<typeof SchemaGlue>;
  readonly PagehandError: typeof PagehandError;
  messageOf(thrown: unknown): string;
}

/** Compiles. Rejects with `invalid-schema` over the schema, or with a load error. @internal */
export async function compileSchema(kit: SchemaKit, schema: JsonSchema, draft?: Draft): Promise<CompiledSchema> {
  const invalid = (cause: unknown, code: ErrorCode = "invalid-schema") => new kit.PagehandError(code, kit.messageOf(cause), { cause });
  let text: string;
  try {
    text = toJsonText(schema, kit.messageOf);
  } catch (error) {
    throw invalid(error);
  }
  const { RawSchema: Raw, lintSchema } = await kit.load();
  try {
    return new CompiledSchema(Raw.compile(text, draft), JSON.parse(lintSchema(text)) as Finding[]);
  } catch (error) {
    // A trap says nothing about the schema: whoever asked must not go on unchecked.
    throw invalid(error, error instanceof WebAssembly.RuntimeError ? "validator-unavailable" : undefined);
  }
}
