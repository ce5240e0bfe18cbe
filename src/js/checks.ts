/**
 * The validators of one tool, made when first needed and shared by all runtimes it serves.
 * Fails closed: where a validator cannot be had, nothing is said to be valid. A schema that does not
 * compile is the exception the engine makes too: its calls go through unchecked, and the developer is told.
 */
import { type CompiledSchema, compileSchema } from "./compiled.js";
import type { Issue } from "./errors.js";
import { messageOf } from "./errors.js";
import type { AnySchema, JsonSchema } from "./infer.js";
import { type Numbers, parseJson, parseOr } from "./parse.js";
import { type StandardSchema, isStandardSchema, toIssues } from "./standard-schema.js";

/** What a validator says. A validator that threw gives an issue, and what it threw as `cause`. */
export type Verdict = { ok: true } | { issues: Issue[]; cause?: unknown } | { unavailable: string };

/** Which of a tool's schemas. */
export type Direction = "input" | "output";

/** What the developer is told of a schema: that it does not compile, or what is odd about it. */
export interface SchemaComplaint {
  direction: Direction;
  message: string;
}

interface Schemas {
  readonly name: string;
  readonly input?: AnySchema | undefined;
  readonly output?: AnySchema | undefined;
  readonly inputSchema?: JsonSchema | undefined;
  readonly outputSchema?: JsonSchema | undefined;
}

const cache = new WeakMap<object, ToolChecks>();

/** The validators of a tool. */
export function checksOf(tool: Schemas): ToolChecks {
  let checks = cache.get(tool);
  if (!checks) cache.set(tool, (checks = new ToolChecks(tool)));
  return checks;
}

export class ToolChecks {
  readonly #schemas: Record<Direction, AnySchema | undefined>;
  readonly #declared: Record<Direction, JsonSchema | undefined>;
  readonly #compiled: Partial<Record<Direction, Promise<CompiledSchema | SchemaComplaint>>> = {};

  constructor(tool: Schemas) {
    this.#schemas = { input: tool.input, output: tool.output };
    this.#declared = {
      input: tool.inputSchema ?? declarable(tool.input, "input"),
      output: tool.outputSchema ?? declarable(tool.output, "output"),
    };
  }

  /** The JSON Schema the engine is told. */
  declared(direction: Direction): JsonSchema | undefined {
    return this.#declared[direction];
  }

  /** Whether there is anything to check. */
  has(direction: Direction): boolean {
    const schema = this.#schemas[direction];
    return schema !== undefined && (isStandardSchema(schema) || !passesAll(schema, direction));
  }

  /** Gets ready what the first check would wait for. Resolves to complaints about schemas. */
  async prepare(): Promise<SchemaComplaint[]> {
    const complaints: SchemaComplaint[] = [];
    for (const direction of ["input", "output"] as const) {
      const schema = this.#schemas[direction];
      if (!this.has(direction) || isStandardSchema(schema)) continue;
      const made = await this.#validator(direction, schema as JsonSchema).catch(() => undefined);
      if (made && !("check" in made)) complaints.push(made);
      for (const finding of made && "check" in made && direction === "input" ? made.findings : []) {
        const message = `${finding.path === "" ? "" : `${finding.path}: `}${finding.message}`;
        complaints.push({ direction, message: finding.hint ? `${message} (${finding.hint})` : message });
      }
    }
    return complaints;
  }

  /** Checks arguments, given as JSON text, or a result, given as the model reads it. */
  async check(direction: Direction, text: string, numbers: Numbers): Promise<Verdict> {
    const schema = this.#schemas[direction];
    if (schema === undefined || !this.has(direction)) return { ok: true };
    if (isStandardSchema(schema)) {
      return (await standard(schema, read(direction, text, numbers))).verdict;
    }
    let validator: CompiledSchema | SchemaComplaint;
    try {
      validator = await this.#validator(direction, schema);
    } catch (error) {
      return { unavailable: `the validator could not be loaded: ${messageOf(error)}` };
    }
    if (!("check" in validator)) return { ok: true };
    const issues = direction === "input" ? validator.check(text) : validator.checkResult(text);
    return issues.length === 0 ? { ok: true } : { issues };
  }

  /**
   * The input as the handler gets it. A Standard Schema is the author's own code and says what it makes
   * of a value; a JSON Schema never changes one.
   */
  async input(text: string, numbers: Numbers): Promise<unknown> {
    const schema = this.#schemas.input;
    if (!isStandardSchema(schema)) return parseJson(text, numbers);
    const { verdict, value } = await standard(schema, () => parseJson(text, numbers));
    return "ok" in verdict ? value : parseJson(text, numbers);
  }

  #validator(direction: Direction, schema: JsonSchema): Promise<CompiledSchema | SchemaComplaint> {
    const known = this.#compiled[direction];
    if (known) return known;
    const made = compileSchema(schema).catch((error: unknown) => {
      // A load that failed is tried again by the next check; a schema that is wrong stays wrong.
      if ((error as { code?: unknown }).code !== "invalid-schema") throw error;
      return { direction, message: `it does not compile, so its calls go through unchecked: ${messageOf(error)}` };
    });
    this.#compiled[direction] = made;
    made.catch(() => {
      delete this.#compiled[direction];
    });
    return made;
  }
}

/** A result that is no JSON is a string, as for the engine. */
function read(direction: Direction, text: string, numbers: Numbers): () => unknown {
  return () => (direction === "input" ? parseJson(text, numbers) : parseOr(text, numbers));
}

async function standard(schema: StandardSchema, value: () => unknown): Promise<{ verdict: Verdict; value?: unknown }> {
  try {
    const result = await schema["~standard"].validate(value());
    if (result.issues) {
      const issues = toIssues(result.issues);
      if (issues.length === 0) issues.push({ path: "", keyword: "schema", message: "the value does not fit" });
      return { verdict: { issues } };
    }
    return { verdict: { ok: true }, value: result.value };
  } catch (cause) {
    const message = `the validator itself failed: ${messageOf(cause)}`;
    return { verdict: { issues: [{ path: "", keyword: "validator", message }], cause } };
  }
}

/** Whether a JSON Schema lets pass whatever the runtime lets pass anyway: then no validator is loaded for it. */
function passesAll(schema: JsonSchema, direction: Direction): boolean {
  if (typeof schema === "boolean") return schema;
  const silent = ["$schema", "$id", "$comment", "title", "description", "default", "examples"];
  return Object.entries(schema).every(([keyword, value]) => {
    if (silent.includes(keyword)) return true;
    if (keyword === "type") return direction === "input" && value === "object";
    if (keyword === "additionalProperties") return value === true;
    if (keyword === "required") return Array.isArray(value) && value.length === 0;
    return keyword === "properties" && typeof value === "object" && value !== null && Object.keys(value).length === 0;
  });
}

/** The JSON Schema to declare: the schema itself, or the one a Standard Schema carries. */
function declarable(schema: AnySchema | undefined, direction: Direction): JsonSchema | undefined {
  if (!isStandardSchema(schema)) return schema;
  const carried = (schema["~standard"] as { jsonSchema?: Record<Direction, unknown> }).jsonSchema?.[direction];
  if (typeof carried !== "function") return undefined;
  try {
    return carried({ target: "draft-2020-12" }) as JsonSchema;
  } catch {
    return undefined;
  }
}
