/**
 * JSON text that a person wrote, to a value. An integer that a double would round is refused: it would be another
 * number than the one that was typed.
 */

/** Parses. Throws over what is no JSON. */
export function parsing(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const digits = text.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(/-?\d[\d.eE+-]*/g) ?? [];
  if (digits.some((one) => /^-?\d{16,}$/.test(one) && !Number.isSafeInteger(Number(one)))) throw new SyntaxError("a number is too large");
  return value;
}
