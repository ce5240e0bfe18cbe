/**
 * Between what inputs hold and what travels: dates and times with their offset, numbers to the last digit. Pure.
 */

/** A moment as RFC 3339, as the person's clock shows it, with the clock's offset. */
export function momentOf(local: string): string {
  const whole = withSeconds(local);
  return whole + offsetAt(new Date(whole));
}

/** A time of day as RFC 3339, with today's offset. */
export function timeOf(local: string): string {
  return withSeconds(local) + offsetAt(new Date());
}

/** What an input for a moment shows of RFC 3339; nothing for what is none. */
export function localMoment(text: string): string {
  const date = new Date(text);
  if (!/^\d{4}-\d\d-\d\d[tT ]\d\d:\d\d/.test(text) || Number.isNaN(date.getTime())) return "";
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString();
  return local.slice(0, local.slice(17, 19) === "00" ? 16 : 19);
}

/** What an input for a time shows of RFC 3339. */
export function localTime(text: string): string {
  const [, time, offset] = /^(\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(z|[+-]\d\d:\d\d)?$/i.exec(text) ?? [];
  if (time === undefined) return "";
  // Another clock's time is not shown as this one's.
  return offset === undefined || offset.toUpperCase() === offsetAt(new Date()) ? time : "";
}

/** A number as typed: an integer that a double would round is a BigInt. Nothing for what is none. */
export function numberOf(text: string): number | bigint | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const number = Number(trimmed);
  if (/^-?\d+$/.test(trimmed) && !Number.isSafeInteger(number)) return BigInt(trimmed);
  return Number.isFinite(number) ? number : undefined;
}

function withSeconds(local: string): string {
  return /\d\d:\d\d:\d\d/.test(local) ? local : `${local}:00`;
}

function offsetAt(date: Date): string {
  const minutes = -date.getTimezoneOffset();
  if (minutes === 0) return "Z";
  const two = (number: number) => String(Math.floor(Math.abs(number))).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}

/** JSON text for people: indented, with BigInt as digits. */
export function jsonOf(value: unknown, indent = ""): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const inside = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((one) => jsonOf(one, inside))
    : Object.entries(value)
        .filter(([, one]) => one !== undefined)
        .map(([key, one]) => `${JSON.stringify(key)}: ${jsonOf(one, inside)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return parts.length === 0 ? `${open}${close}` : `${open}\n${inside}${parts.join(`,\n${inside}`)}\n${indent}${close}`;
}

/** Whether two values are the same JSON, whatever order their members stand in. */
export function same(one: unknown, other: unknown): boolean {
  return jsonOf(inOrder(one)) === jsonOf(inOrder(other));
}

function inOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, inner]) => [name, inOrder(inner)]));
}

/** A text in which nothing hides: marks that turn the writing around or show nothing are spelled out. */
export function visible(text: string): string {
  return text.replace(HIDING, (mark) => `\\u{${mark.codePointAt(0)?.toString(16)}}`);
}

/** Not the joiners, which emoji and some scripts are written with. */
const HIDING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
