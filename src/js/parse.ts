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
  const whole = { value: JSON.parse(marked) as unknown };
  // Not by a reviver, which would go as deep as the text does: arguments that are refused for that are in events.
  const found: Record<string, unknown>[] = [whole];
  for (const inside of found) {
    for (const key of Object.keys(inside)) {
      const value = inside[key];
      if (typeof value === "object" && value) found.push(value as Record<string, unknown>);
      else if (typeof value === "string" && value.startsWith(prefix)) inside[key] = BigInt(value.slice(prefix.length));
    }
  }
  return whole.value;
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
  const token = /"|-?\d[\d.eE+-]*/g;
  let out = "";
  let copied = 0;
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [literal] = found;
    if (literal === '"') {
      token.lastIndex = endOfString(text, found.index);
    } else if (/^-?\d{16,}$/.test(literal) && !Number.isSafeInteger(Number(literal))) {
      out += `${text.slice(copied, found.index)}${open}${literal}"`;
      copied = token.lastIndex;
    }
  }
  return copied === 0 ? text : out + text.slice(copied);
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  return at + 1;
}
