/**
 * Texts within a cap, cut between characters.
 */

/** A text and whether something was cut off. */
export interface Clipped {
  readonly text: string;
  readonly truncated: boolean;
}

/** The beginning of a text, of at most so many bytes of UTF-8. */
export function clipped(text: string, bytes: number): Clipped {
  // No character of a string takes more than three bytes.
  if (text.length * 3 <= bytes) return { text, truncated: false };
  // Whatever is beyond the cap in characters is beyond it in bytes, too.
  const encoded = new TextEncoder().encode(text.slice(0, bytes + 1));
  if (encoded.length <= bytes) return { text, truncated: false };
  return { text: decoded(encoded.subarray(0, bytes), true) ?? "", truncated: true };
}

/** The text of bytes that are UTF-8; nothing if they are not. `cut`: a last character may be half there. */
export function decoded(bytes: Uint8Array, cut: boolean): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: cut });
    // Files of bytes may happen to be UTF-8; a text holds no such character.
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
