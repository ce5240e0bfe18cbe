/**
 * Gets the validators of a tool ready before its first call waits for them, and says what is odd about its schemas.
 * Loaded when the page has nothing better to do.
 */
import type { SchemaComplaint, ToolChecks } from "./checks.js";

/** Resolves to the complaints. Never rejects: what cannot be loaded now is loaded by the first call. @internal */
export async function prepare(checks: ToolChecks): Promise<SchemaComplaint[]> {
  const complaints: SchemaComplaint[] = [];
  for (const direction of ["input", "output"] as const) {
    const made = await checks.compiled(direction)?.catch(() => undefined);
    if (made && !("check" in made)) complaints.push(made);
    for (const finding of made && "check" in made && direction === "input" ? made.findings : []) {
      const message = `${finding.path === "" ? "" : `${finding.path}: `}${finding.message}`;
      complaints.push({ direction, message: finding.hint ? `${message} (${finding.hint})` : message });
    }
  }
  return complaints;
}
