/**
 * Looks objects over that people write: options, declarations of tools. One table says what the fields are.
 * What is wrong is thrown with the field's name; no message quotes a value, which may be a secret.
 */
import type { ErrorCode } from "./codes.js";
import { PagehandError } from "./errors.js";
import { isStandardSchema } from "./standard-schema.js";

/** What a field must be: the words for it, the test, and whether it must be there. */
export type Rule = readonly [words: string, fits: (value: unknown) => unknown, required?: true];

/** The fields there are. */
export type Rules = Readonly<Record<string, Rule>>;

export const aString: Rule = ["must be a string", (value) => typeof value === "string"];
export const aFunction: Rule = ["must be a function", (value) => typeof value === "function"];
export const aBoolean: Rule = ["must be a boolean", (value) => typeof value === "boolean"];
export const anObject: Rule = ["must be an object", (value) => typeof value === "object" && value];

export const aSchema: Rule = ["must be a JSON Schema or a Standard Schema", (value) => isJsonSchema(value) || isStandardSchema(value)];
export const aJsonSchema: Rule = ["must be a JSON Schema", isJsonSchema];

function isJsonSchema(value: unknown): unknown {
  return typeof value === "boolean" || (typeof value === "object" && value && !Array.isArray(value));
}

/** A field that is one of some words. */
export function oneOf(...words: string[]): Rule {
  return [`must be one of ${words.join(", ")}`, (value) => words.includes(value as string)];
}

/**
 * Throws over the first thing that is wrong. `prefix` comes before a field's name and `suffix` after it.
 * A field that is `undefined` is as good as not there.
 */
export function validate(code: ErrorCode, given: object, rules: Rules, prefix = "", suffix = ""): void {
  const wrong = (field: string, words: string) => {
    throw new PagehandError(code, `${prefix}${field.slice(0, 64)}${suffix} ${words}`);
  };
  for (const key of Object.keys(given)) {
    if (!Object.hasOwn(rules, key)) wrong(key, `is not known; did you mean "${nearest(key, Object.keys(rules))}"?`);
  }
  for (const [key, [words, fits, required]] of Object.entries(rules)) {
    const value = (given as Record<string, unknown>)[key];
    if (value === undefined ? required : !fits(value)) wrong(key, words);
  }
}

/** The name that has most of the key's pairs of letters, and a length like it. */
function nearest(key: string, names: string[]): string | undefined {
  const letters = [...key.slice(0, 64).toLowerCase()];
  const likeness = (name: string) => letters.filter((one, at) => name.toLowerCase().includes(one + (letters[at + 1] ?? ""))).length - Math.abs(name.length - letters.length) / 8;
  return names.sort((one, other) => likeness(other) - likeness(one))[0];
}
