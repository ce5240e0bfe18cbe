/**
 * From a JSON Schema to the fields of a form, as plain data: what there is to fill in, in which order and under which
 * words. What cannot be drawn becomes a `json` field, so every schema has a form. Pure; never follows a remote
 * reference. The checking is the validator's: limits here only choose a look.
 */
import type { JsonSchema } from "../infer.js";

type Keywords = { readonly [keyword: string]: unknown };

/** How a text is typed. */
export type TextLook = "text" | "email" | "url" | "tel" | "date" | "time" | "datetime-local" | "password" | "multiline";

/** One of some values. */
export interface Option {
  readonly value: unknown;
  readonly label: string;
}

/** What every field has. */
interface Common {
  readonly label: string;
  readonly help?: string | undefined;
  /** Whether `null` is an answer. */
  readonly nullable: boolean;
  /** The default. */
  readonly initial?: unknown;
  /** The keywords, for limits and messages. */
  readonly keywords: Keywords;
}

/** A field of a form. */
export type Field = Common & FieldKind;

/** A named part of a group. */
export interface Part {
  readonly name: string;
  readonly required: boolean;
  readonly field: Field;
}

/** What kinds of fields there are. */
export type FieldKind =
  | { readonly kind: "text"; readonly look: TextLook }
  | { readonly kind: "number"; readonly whole: boolean }
  | { readonly kind: "boolean" }
  | { readonly kind: "constant"; readonly value: unknown }
  | { readonly kind: "choice"; readonly options: readonly Option[] }
  | { readonly kind: "choices"; readonly options: readonly Option[] }
  | { readonly kind: "list"; readonly item: Field }
  | { readonly kind: "group"; readonly parts: readonly Part[] }
  | { readonly kind: "branches"; readonly branches: readonly Field[] }
  | { readonly kind: "json" };

/** Deepest nesting that is drawn: recursive schemas have no end. */
const MAX_DEPTH = 6;
/** Most fields that are drawn. */
const MAX_FIELDS = 250;
/** Most schemas that are looked at, one behind several references counted each time. */
const MAX_STEPS = 5_000;
/** Longer texts get several lines. */
const LONG_TEXT = 150;

const LOOKS: Readonly<Record<string, TextLook>> = {
  email: "email",
  "idn-email": "email",
  uri: "url",
  url: "url",
  date: "date",
  time: "time",
  "date-time": "datetime-local",
  password: "password",
  phone: "tel",
  tel: "tel",
};

/** The form of a schema. `label` names it where the schema has no title. */
export function fieldOf(schema: JsonSchema | undefined, label = ""): Field {
  return new Reader(schema ?? true).field(schema ?? true, label, 0);
}

/** Words from a property's name. */
export function words(name: string): string {
  const spaced = name.replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2").replace(/[_\-.\s]+/g, " ").trim();
  const small = /\p{Lu}{2}/u.test(spaced) ? spaced : spaced.toLowerCase();
  return small.charAt(0).toUpperCase() + small.slice(1);
}

class Reader {
  readonly #root: JsonSchema;
  #count = 0;
  #steps = 0;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  field(schema: unknown, name: string, depth: number): Field {
    let keywords = this.#resolve(schema);
    // `null` beside something else is the something else, which may be left out.
    let nullable = false;
    if (keywords && Array.isArray(keywords["type"]) && keywords["type"].includes("null")) {
      const types = keywords["type"].filter((type) => type !== "null");
      nullable = true;
      keywords = { ...keywords, type: types.length === 1 ? types[0] : types };
    }
    if (keywords && Array.isArray(keywords["enum"]) && keywords["enum"].includes(null)) {
      nullable = true;
      keywords = { ...keywords, enum: keywords["enum"].filter((value) => value !== null) };
    }
    let branches = this.#branches(keywords);
    if (keywords && branches?.some((branch) => branch["type"] === "null" || branch["const"] === null)) {
      nullable = true;
      branches = branches.filter((branch) => branch["type"] !== "null" && branch["const"] !== null);
      const [only] = branches;
      if (branches.length === 1 && only) {
        keywords = merged(without(keywords, "anyOf", "oneOf"), only);
        branches = this.#branches(keywords);
      }
    }
    const known = keywords ?? {};
    const common: Common = {
      label: text(known["title"]) ?? words(name),
      help: text(known["description"]),
      nullable,
      ...("default" in known ? { initial: known["default"] } : {}),
      keywords: known,
    };
    this.#count += 1;
    if (!keywords || this.#count > MAX_FIELDS) return { ...common, kind: "json" };
    return { ...common, ...this.#kind(keywords, branches, name, depth) };
  }

  #kind(keywords: Keywords, branches: Keywords[] | undefined, name: string, depth: number): FieldKind {
    const options = optionsOf(keywords, branches);
    // A box to tick is a decision: it must not be made for the person.
    const boxed = keywords["const"] === true || (options?.length === 1 && options[0]?.value === true);
    if (boxed) return { kind: "boolean" };
    if ("const" in keywords) return { kind: "constant", value: keywords["const"] };
    if (options) return options.length === 1 ? { kind: "constant", value: options[0]?.value } : { kind: "choice", options };
    if (branches && depth < MAX_DEPTH) {
      const rest = without(keywords, "anyOf", "oneOf", "title", "description", "default");
      return { kind: "branches", branches: branches.map((branch, index) => this.#branch(merged(rest, branch), index, depth)) };
    }
    const type = keywords["type"] ?? (isKeywords(keywords["properties"]) ? "object" : "items" in keywords ? "array" : undefined);
    if (Array.isArray(type)) {
      if (type.length > 8 || depth >= MAX_DEPTH) return { kind: "json" };
      const rest = without(keywords, "title", "description", "default");
      return { kind: "branches", branches: type.map((one, index) => this.#branch({ ...rest, type: one }, index, depth)) };
    }
    if (type === "string") return { kind: "text", look: lookOf(keywords) };
    if (type === "number" || type === "integer") return { kind: "number", whole: type === "integer" };
    if (type === "boolean") return { kind: "boolean" };
    if (branches || depth >= MAX_DEPTH) return { kind: "json" };
    if (type === "array") return this.#array(keywords, name, depth);
    if (type === "object") return this.#object(keywords, depth);
    return { kind: "json" };
  }

  #object(keywords: Keywords, depth: number): FieldKind {
    const properties = keywords["properties"];
    const { patternProperties, additionalProperties } = keywords;
    // Names that are the person's to choose cannot be drawn; an object that has none is a form without fields.
    const drawable = isKeywords(properties) && !isKeywords(patternProperties) && !isKeywords(additionalProperties) && (additionalProperties !== true || Object.keys(properties).length > 0);
    if (!drawable) return { kind: "json" };
    const required: unknown[] = Array.isArray(keywords["required"]) ? keywords["required"] : [];
    // A name that must be there and is not described can only be written as JSON.
    const all = { ...properties, ...Object.fromEntries(required.filter((name) => typeof name === "string" && !Object.hasOwn(properties, name)).map((name) => [name, true])) };
    return {
      kind: "group",
      parts: Object.entries(all).map(([name, schema]) => ({ name, required: required.includes(name), field: this.field(schema, name, depth + 1) })),
    };
  }

  #array(keywords: Keywords, name: string, depth: number): FieldKind {
    const { items } = keywords;
    if ("prefixItems" in keywords || "contains" in keywords || items === undefined || Array.isArray(items)) return { kind: "json" };
    const item = this.field(items, "", depth + 1);
    if (item.kind === "choice" && !item.nullable) return { kind: "choices", options: item.options };
    return { kind: "list", item: { ...item, label: item.label || singular(words(name)) } };
  }

  #branch(schema: Keywords, index: number, depth: number): Field {
    const field = this.field(schema, "", depth + 1);
    return { ...field, label: field.label || tagOf(field) || `${index + 1}` };
  }

  /** The ways a value may go, each with its references followed. */
  #branches(keywords: Keywords | undefined): Keywords[] | undefined {
    const given = keywords?.["oneOf"] ?? keywords?.["anyOf"];
    if (!Array.isArray(given) || given.length === 0 || given.length > 50) return undefined;
    const found = given.map((one) => this.#resolve(one));
    return found.every((one) => one !== undefined) ? (found as Keywords[]) : undefined;
  }

  /** The keywords of a schema with local references and `allOf` taken in; nothing for what has none. */
  #resolve(schema: unknown, seen: readonly unknown[] = []): Keywords | undefined {
    // References that branch lead to more than anybody could fill in.
    if (!isKeywords(schema) || (this.#steps += 1) > MAX_STEPS) return undefined;
    let keywords: Keywords = schema;
    const reference = keywords["$ref"];
    if (typeof reference === "string") {
      const target = this.#at(reference);
      if (target === undefined || seen.includes(target) || seen.length > 20) return undefined;
      const found = this.#resolve(target, [...seen, target]);
      if (!found) return undefined;
      keywords = merged(found, without(keywords, "$ref"));
    }
    const all = keywords["allOf"];
    if (Array.isArray(all)) {
      const parts = all.map((one) => this.#resolve(one, [...seen, schema]));
      if (parts.some((part) => part === undefined)) return undefined;
      keywords = (parts as Keywords[]).reduce(merged, without(keywords, "allOf"));
    }
    return keywords;
  }

  #at(reference: string): unknown {
    if (!reference.startsWith("#")) return undefined;
    let at: unknown = this.#root;
    for (const step of reference.slice(1).split("/").slice(1)) {
      const key = decode(step);
      if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
      at = (at as Record<string, unknown>)[key];
    }
    return at;
  }
}

function lookOf(keywords: Keywords): TextLook {
  const { format, maxLength } = keywords;
  const look = typeof format === "string" ? LOOKS[format] : undefined;
  if (look) return look;
  if (keywords["x-multiline"] === true) return "multiline";
  return typeof maxLength === "number" && maxLength >= LONG_TEXT && keywords["x-multiline"] !== false && !format ? "multiline" : "text";
}

/** The values there are to choose from, where there are only those. */
function optionsOf(keywords: Keywords, branches: Keywords[] | undefined): Option[] | undefined {
  const values = keywords["enum"];
  if (Array.isArray(values) && values.length > 0) {
    const names: unknown = keywords["enumNames"] ?? keywords["x-enumNames"];
    return values.map((value, index) => ({ value, label: (Array.isArray(names) && text(names[index])) || plain(value) }));
  }
  if (!branches?.every((branch) => "const" in branch)) return undefined;
  return branches.map((branch) => ({ value: branch["const"], label: text(branch["title"]) ?? plain(branch["const"]) }));
}

/** What tells a branch from the others: the constant it demands, or its type. */
function tagOf(field: Field): string {
  if (field.kind === "constant") return plain(field.value);
  if (field.kind === "group") {
    const tag = field.parts.find((part) => part.field.kind === "constant")?.field;
    if (tag?.kind === "constant") return words(plain(tag.value));
  }
  const { type } = field.keywords;
  return typeof type === "string" && type !== "object" ? words(type) : "";
}

/** A value as people read it. */
export function plain(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "bigint" ? String(value) : (JSON.stringify(value) ?? "");
}

function merged(one: Keywords, other: Keywords): Keywords {
  const both: Record<string, unknown> = { ...one, ...other };
  if (isKeywords(one["properties"]) && isKeywords(other["properties"])) both["properties"] = { ...one["properties"], ...other["properties"] };
  if (Array.isArray(one["required"]) && Array.isArray(other["required"])) both["required"] = [...one["required"], ...other["required"]];
  return both;
}

function without(keywords: Keywords, ...names: string[]): Keywords {
  return Object.fromEntries(Object.entries(keywords).filter(([name]) => !names.includes(name)));
}

function isKeywords(value: unknown): value is Keywords {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

function singular(plural: string): string {
  return /[^s]s$/i.test(plural) ? plural.slice(0, -1) : plural;
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return step;
  }
}
