/**
 * JSON text to values without losing a digit: integers a double cannot hold come as BigInt.
 * Everything else is `JSON.parse`. A `__proto__` key becomes an ordinary own property.
 */

/** How integers beyond 2^53 are read. */
export type Numbers = "exact" | "number";

const LONG = /\d{16}/;
let mark: string | undefined;

/** Parses JSON text. Throws `SyntaxError` as `JSON.parse` does. */
export function parseJson(text: string, numbers: Numbers = "exact"): unknown {
  if (numbers === "number" || !LONG.test(text)) return JSON.parse(text);
  const prefix = (mark ??= `\u0000${Math.random()}:`);
  const marked = markIntegers(text, prefix);
  if (marked === text) return JSON.parse(text);
  return JSON.parse(marked, (_key, value: unknown) =>
    typeof value === "string" && value.startsWith(prefix) ? BigInt(value.slice(prefix.length)) : value,
  );
}

/** Parses a text that may not be JSON; then it stays text. */
export function parseOr(text: string, numbers: Numbers = "exact"): unknown {
  try {
    return parseJson(text, numbers);
  } catch {
    return text;
  }
}

/** Puts integers that a double would round into strings that no document can hold but by guessing. */
function markIntegers(text: string, prefix: string): string {
  const open = JSON.stringify(prefix).slice(0, -1);
  let out = "";
  let copied = 0;
  let at = 0;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) {
      at = endOfString(text, at);
    } else if (unit === 0x2d || isDigit(unit)) {
      const start = at;
      while (at < text.length && isNumeric(text.charCodeAt(at))) at += 1;
      const literal = text.slice(start, at);
      if (/^-?\d{16,}$/.test(literal) && !Number.isSafeInteger(Number(literal))) {
        out += `${text.slice(copied, start)}${open}${literal}"`;
        copied = at;
      }
    } else {
      at += 1;
    }
  }
  return copied === 0 ? text : out + text.slice(copied);
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  return at + 1;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

/** Digits, sign, point, exponent. */
function isNumeric(unit: number): boolean {
  return isDigit(unit) || unit === 0x2d || unit === 0x2b || unit === 0x2e || unit === 0x65 || unit === 0x45;
}
