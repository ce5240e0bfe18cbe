/**
 * A JSON Schema without the keywords that browsers refuse in a tool's declaration. What comes out takes whatever the
 * first one takes, and perhaps more: the full schema goes on being checked by the runtime, so nothing is lost but words.
 * References within the schema are written out as far as that has an end. Pure; the input is plain JSON.
 */

type Schema = Record<string, unknown>;

/** Keywords that hold one schema, a list of them, or schemas by name. Whatever else there is holds none. */
const ONE = ["items", "additionalItems", "contains", "propertyNames", "not", "if", "then", "else"];
const LISTS = ["items", "prefixItems", "allOf", "anyOf", "oneOf"];
const NAMED = ["properties", "patternProperties", "dependentSchemas"];
/** What is left out wherever it stands. */
const REFUSED = [
  ...["$ref", "$dynamicRef", "$recursiveRef", "$defs", "definitions", "$id", "id", "$anchor", "$dynamicAnchor", "$vocabulary"],
  ...["format", "unevaluatedProperties", "unevaluatedItems", "dependentRequired", "dependencies", "contentSchema"],
];

/** Deepest nesting of references, and most schemas, that are written out. */
const MAX_DEPTH = 12;
const MAX_SCHEMAS = 2_000;

/** Reduces it. */
export function reduced(schema: object): object {
  return new Reduction(schema as Schema).of(schema, 0) as object;
}

class Reduction {
  readonly #root: Schema;
  #left = MAX_SCHEMAS;
  /** How much has been left out so far that could refuse a value. */
  #weaker = 0;
  /** In older drafts a reference makes its neighbours void. */
  readonly #lonely: boolean;
  /** A schema with an id inside has references of its own, which are not the whole's. */
  readonly #plain: boolean;

  constructor(root: Schema) {
    this.#root = root;
    this.#lonely = /draft-0[3-7]/.test(String(root.$schema));
    this.#plain = !JSON.stringify({ ...root, $id: undefined }).includes('"$id"');
  }

  of(schema: unknown, depth: number): unknown {
    if (!isObject(schema)) return schema;
    this.#left -= 1;
    if (depth > MAX_DEPTH * 4 || this.#left < 0) return this.#anything();
    const out: Schema = {};
    for (const [keyword, value] of Object.entries(schema)) {
      const kept = this.#keyword(keyword, value, schema, depth);
      if (kept !== undefined) out[kept.keyword] = kept.value;
    }
    // What the branches hang on is gone.
    if ("if" in schema && !("if" in out)) for (const branch of ["then", "else"]) delete out[branch];
    if ("patternProperties" in schema && !("patternProperties" in out)) delete out.additionalProperties;
    const target = this.#target(schema, depth);
    if ("$ref" in schema && this.#lonely) return target ?? {};
    return target === undefined ? out : withTarget(out, target);
  }

  #keyword(keyword: string, value: unknown, within: Schema, depth: number): { keyword: string; value: unknown } | undefined {
    if (REFUSED.includes(keyword)) return this.#gone(keyword !== "$defs" && keyword !== "definitions");
    if (keyword === "additionalProperties") return value === false ? { keyword, value } : this.#gone(value !== true);
    if (keyword === "pattern") return compiles(value) ? { keyword, value } : this.#gone();
    if (NAMED.includes(keyword) && isObject(value)) return this.#named(keyword, value, depth);
    if (LISTS.includes(keyword) && Array.isArray(value)) {
      const before = this.#weaker;
      const list = value.map((one) => this.of(one, depth + 1));
      if (keyword !== "oneOf" || this.#weaker === before) return { keyword, value: list };
      // Branches that take more than they did may be right together.
      return "anyOf" in within ? this.#gone() : { keyword: "anyOf", value: list };
    }
    if (!ONE.includes(keyword)) return { keyword, value };
    const before = this.#weaker;
    const one = this.of(value, depth + 1);
    // Where more fits inside, less fits outside.
    const turned = keyword === "not" || keyword === "if" || (keyword === "contains" && "maxContains" in within);
    return turned && this.#weaker !== before ? this.#gone() : { keyword, value: one };
  }

  #named(keyword: string, value: Schema, depth: number): { keyword: string; value: unknown } | undefined {
    const names = Object.keys(value);
    if (keyword === "patternProperties" && !names.every(compiles)) return this.#gone();
    // Not by assignment, for which `__proto__` is no name like any other.
    return { keyword, value: Object.fromEntries(names.map((name) => [name, this.of(value[name], depth + 1)])) };
  }

  /** What a reference in the schema itself stands for. */
  #target(schema: Schema, depth: number): unknown {
    const { $ref } = schema;
    if (typeof $ref !== "string" || !this.#plain || !/^#(\/|$)/.test($ref) || depth > MAX_DEPTH) return undefined;
    let at: unknown = this.#root;
    for (const step of $ref.split("/").slice(1)) {
      const key = unescaped(step);
      if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
      at = (at as Schema)[key];
    }
    return at === undefined || at === this.#root ? undefined : this.of(at, depth + 4);
  }

  #gone(refuses = true): undefined {
    if (refuses) this.#weaker += 1;
    return undefined;
  }

  #anything(): Schema {
    this.#weaker += 1;
    return {};
  }
}

/** A schema with what its reference stood for, of which its own words come first. */
function withTarget(own: Schema, target: unknown): unknown {
  if (!isObject(target)) return target === false ? { ...own, not: {} } : own;
  const words = ["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"];
  if (Object.keys(own).every((keyword) => words.includes(keyword))) return { ...target, ...own };
  const all = Array.isArray(own.allOf) ? own.allOf : [];
  return { ...own, allOf: [...all, target] };
}

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function compiles(pattern: unknown): boolean {
  try {
    return typeof pattern === "string" && new RegExp(pattern, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

function unescaped(step: string): string {
  let text = step;
  try {
    text = decodeURIComponent(step);
  } catch {
    // Not escaped that way, then.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}
