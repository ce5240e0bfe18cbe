/**
 * JSON Schemas compiled by the schema WASM file, which the first of them loads.
 */
import type { ErrorCode } from "./codes.js";
import { PagehandError, messageOf } from "./errors.js";
import type { Issue } from "./errors.js";
import { schemaFile } from "./files.js";
import type { JsonSchema } from "./infer.js";
import { toJsonText } from "./serialise.js";
import type { RawSchema } from "./wasm/schema.js";

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
  readonly #raw: RawSchema;
  /** What there is to say about the schema itself. */
  readonly findings: readonly Finding[];

  constructor(raw: RawSchema, findings: readonly Finding[]) {
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

/** Compiles. Rejects with `invalid-schema` over the schema, or with a load error. */
export async function compileSchema(schema: JsonSchema, draft?: Draft): Promise<CompiledSchema> {
  let text: string;
  try {
    text = toJsonText(schema);
  } catch (error) {
    throw invalid(error);
  }
  const { RawSchema: Raw, lintSchema } = await schemaFile.load();
  try {
    return new CompiledSchema(Raw.compile(text, draft), JSON.parse(lintSchema(text)) as Finding[]);
  } catch (error) {
    // A trap says nothing about the schema: whoever asked must not go on unchecked.
    throw invalid(error, error instanceof WebAssembly.RuntimeError ? "validator-unavailable" : undefined);
  }
}

function invalid(cause: unknown, code: ErrorCode = "invalid-schema"): PagehandError {
  return new PagehandError(code, messageOf(cause), { cause });
}
