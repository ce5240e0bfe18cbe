/**
 * The validators of one tool, made when first needed and shared by all runtimes it serves.
 * Fails closed: where a validator cannot be had, nothing is said to be valid. A schema that does not
 * compile is the exception the engine makes too: its calls go through unchecked, and the developer is told.
 */
import type { CompiledSchema } from "./compiled.js";
import { declarable } from "./declarable.js";
import type { Issue } from "./errors.js";
import { messageOf } from "./errors.js";
import { schemaKit } from "./files.js";
import type { AnySchema, JsonSchema } from "./infer.js";
import { cap } from "./lists.js";
import { type Numbers, parseJson, parseOr } from "./parse.js";
import { plainText } from "./plain.js";
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

/** Most values kept of calls that passed and have not run. */
const MAX_MADE = 256;

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
  /** What a Standard Schema made of arguments that passed, until they run: it is asked once for each call. */
  readonly #made = new Map<string, unknown[]>();

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
    return isStandardSchema(this.#schemas[direction]) || this.jsonSchema(direction) !== undefined;
  }

  /** The JSON Schema to check by, where that is what checks and does not let everything pass. @internal */
  jsonSchema(direction: Direction): JsonSchema | undefined {
    const schema = this.#schemas[direction];
    return schema === undefined || isStandardSchema(schema) || passesAll(schema, direction) ? undefined : schema;
  }

  /** The validator of a JSON Schema, or what is wrong with that; nothing where nothing is to be compiled. @internal */
  compiled(direction: Direction): Promise<CompiledSchema | SchemaComplaint> | undefined {
    const schema = this.jsonSchema(direction);
    if (schema === undefined) return;
    const known = this.#compiled[direction];
    if (known) return known;
    const made = import("./compiled.js")
      .then(({ compileSchema }) => compileSchema(schemaKit, schema, { forInput: direction === "input" }))
      .catch((error: unknown) => {
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

  /** Checks arguments, given as JSON text, or a result, given as the model reads it: what is no JSON is a string. */
  async check(direction: Direction, text: string, numbers: Numbers): Promise<Verdict> {
    const schema = this.#schemas[direction];
    if (isStandardSchema(schema)) {
      const given = direction === "input" ? parseJson(text, numbers) : parseOr(text, numbers);
      // The author's code may change what it is given.
      const id = direction === "input" && idOf(given);
      const { verdict, value } = await standard(schema, given);
      if (id && "ok" in verdict) this.#keep(id, value);
      return verdict;
    }
    let validator: CompiledSchema | SchemaComplaint | undefined;
    try {
      validator = await this.compiled(direction);
    } catch (error) {
      return { unavailable: `the validator could not be loaded: ${messageOf(error)}` };
    }
    if (!validator || !("check" in validator)) return { ok: true };
    const issues = direction === "input" ? validator.check(text) : validator.checkResult(text);
    return issues.length === 0 ? { ok: true } : { issues };
  }

  /**
   * The input as the handler gets it. A Standard Schema is the author's own code and says what it makes
   * of a value; a JSON Schema never changes one.
   */
  async input(text: string, numbers: Numbers): Promise<unknown> {
    const schema = this.#schemas.input;
    const given = parseJson(text, numbers);
    if (!isStandardSchema(schema)) return given;
    const id = idOf(given);
    const made = this.#made.get(id);
    if (made) {
      if (made.length < 2) this.#made.delete(id);
      return made.shift();
    }
    const { verdict, value } = await standard(schema, given);
    return "ok" in verdict ? value : parseJson(text, numbers);
  }

  /** The input as the handler is about to get it, for who is asked about it before. */
  seen(given: unknown): unknown {
    const made = this.#made.size > 0 && this.#made.get(idOf(given));
    return made ? made[0] : given;
  }

  #keep(id: string, value: unknown): void {
    const made = this.#made.get(id);
    if (!made) this.#made.set(id, [value]);
    else if (made.length < MAX_MADE) made.push(value);
    cap(this.#made, MAX_MADE);
  }
}

/** What tells arguments apart; nothing for those that are nested deeper than can be written. */
function idOf(given: unknown): string {
  try {
    return plainText(given);
  } catch {
    return "";
  }
}

async function standard(schema: StandardSchema, given: unknown): Promise<{ verdict: Verdict; value?: unknown }> {
  try {
    const result = await schema["~standard"].validate(given);
    if (result.issues) {
      const issues = toIssues(result.issues);
      if (issues.length === 0) issues.push({ path: "", keyword: "schema", message: "the value does not fit" });
      return { verdict: { issues } };
    }
    // A result of another kind, `{ success: false }` say, is not a yes.
    if (!("value" in result)) throw new TypeError("it gave neither a value nor issues");
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
