/**
 * Keys by their names: `Enter`, `a`, `Control+Shift+K`, as the events of a keyboard tell them. Pure.
 */

/** A key with what is held. @internal */
export interface Chord {
  /** As `KeyboardEvent.key`: `Enter`, `a`, `A`. */
  readonly key: string;
  /** As `KeyboardEvent.code`: `Enter`, `KeyA`; empty where no key of a common keyboard makes it. */
  readonly code: string;
  /** The old number of the key, which many pages still read. */
  readonly keyCode: number;
  readonly ctrlKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
}

const NUMBERS: Readonly<Record<string, number>> = {
  Backspace: 8, Tab: 9, Enter: 13, Escape: 27, PageUp: 33, PageDown: 34, End: 35, Home: 36, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40,
  Insert: 45, Delete: 46, ...Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`F${at + 1}`, 112 + at])),
};
const OTHER_NAMES = new Map([["space", " "], ["esc", "Escape"], ["return", "Enter"], ["del", "Delete"]]);
const HELD = { ctrlKey: "control ctrl", shiftKey: "shift", altKey: "alt option", metaKey: "meta command cmd" };

/** Reads a chord; a sentence that names what is no key. @internal */
export function readKey(text: string): Chord | string {
  const held = { ctrlKey: false, shiftKey: false, altKey: false, metaKey: false };
  let rest = text;
  for (let at = rest.indexOf("+"); at > 0 && at < rest.length - 1; at = rest.indexOf("+")) {
    const name = rest.slice(0, at);
    const which = (Object.keys(HELD) as (keyof typeof HELD)[]).find((one) => HELD[one].split(" ").includes(name.toLowerCase()));
    if (!which) return `"${name.slice(0, 40)}" cannot be held: Control, Shift, Alt and Meta can`;
    held[which] = true;
    rest = rest.slice(at + 1);
  }
  const usual = OTHER_NAMES.get(rest.toLowerCase()) ?? rest.replace(/^(left|right|up|down)$/i, "Arrow$1");
  if ([...usual].length === 1) {
    const upper = usual.length === 1 && /[a-z]/.test(usual) ? usual.toUpperCase() : usual;
    const [code, keyCode] = /[A-Z]/.test(upper) ? [`Key${upper}`, upper.charCodeAt(0)] : /\d/.test(upper) ? [`Digit${upper}`, upper.charCodeAt(0)] : upper === " " ? ["Space", 32] : ["", 0];
    return { ...held, key: held.shiftKey ? upper : usual, code, keyCode, shiftKey: held.shiftKey || /[A-Z]/.test(usual) };
  }
  const key = Object.keys(NUMBERS).find((name) => name.toLowerCase() === usual.toLowerCase());
  if (key === undefined) return `"${rest.slice(0, 40)}" is no key: give one character or a name such as Enter`;
  return { ...held, key, code: key, keyCode: NUMBERS[key] ?? 0 };
}
