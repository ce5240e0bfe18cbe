/**
 * JSON text of plain data: of schemas, and of arguments that were JSON before. What may be anything at all goes
 * through `serialise.ts`, which the first call loads.
 */

/** Stands before the digits of a BigInt, which has no form of its own in `JSON.stringify`. */
const MARK = "\u0000pagehand:";
const MARKED = /"\\u0000pagehand:(-?\d+)"/g;

/** Makes the text; every digit of a BigInt is kept. Throws as `JSON.stringify` does. */
export function plainText(value: unknown): string {
  const text = JSON.stringify(value, (_key, part: unknown) => (typeof part === "bigint" ? `${MARK}${part}` : part)) ?? "null";
  return text.replace(MARKED, "$1");
}
