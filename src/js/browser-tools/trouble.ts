/**
 * What goes wrong with a browser's function, in words a model can act on: what is missing, and what the user could do
 * about it. A person's no is not among these: that is the error code `declined`.
 */

/** What kind of trouble it is. */
export type TroubleReason = "blocked" | "busy" | "gesture" | "hidden" | "insecure-context" | "invalid" | "no-device" | "policy" | "system" | "timeout" | "unavailable" | "unsupported";

/** Trouble with a browser's function; the `cause` of the call's error. */
export class BrowserToolError extends Error {
  override readonly name = "BrowserToolError";
  readonly reason: TroubleReason;

  constructor(reason: TroubleReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** The name of whatever was thrown. */
export function nameOf(thrown: unknown): string {
  const name: unknown = (thrown as { name?: unknown } | null | undefined)?.name;
  return typeof name === "string" ? name : "";
}

/** What was thrown, in words. */
export function wordsOf(thrown: unknown): string {
  const message: unknown = (thrown as { message?: unknown } | null | undefined)?.message;
  return (typeof message === "string" && message) || nameOf(thrown) || "no reason was given";
}

/** Trouble nobody foresaw, with the browser's own words. */
export function unforeseen(what: string, thrown: unknown): Error {
  return new BrowserToolError("system", `${what} failed: ${wordsOf(thrown).slice(0, 300)}`, { cause: thrown });
}
