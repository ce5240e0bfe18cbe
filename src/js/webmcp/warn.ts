/**
 * Warnings of one connection to the browser, each said once: the same tool is looked at again with every change. What
 * has been said is remembered up to a cap, beyond which it may be said again.
 */
import type { ErrorCode } from "../codes.js";

/** Says what is odd. */
export type Warn = (code: ErrorCode, message: string) => void;

const MOST = 500;

/** Makes one that says each thing once. */
export function once(warn: Warn): Warn {
  const said = new Set<string>();
  return (code, message) => {
    if (said.has(message)) return;
    if (said.size >= MOST) said.clear();
    said.add(message);
    warn(code, message);
  };
}
