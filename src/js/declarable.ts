/**
 * Which JSON Schema of a tool is declared to an engine: for the page and for a server's worker alike.
 */
import type { AnySchema, JsonSchema } from "./infer.js";
import { isStandardSchema } from "./standard-schema.js";

/** The JSON Schema to declare: the schema itself, or the one a Standard Schema carries; none if it carries none. */
export function declarable(schema: AnySchema | undefined, direction: "input" | "output"): JsonSchema | undefined {
  if (!isStandardSchema(schema)) return schema;
  const carried = (schema["~standard"] as { jsonSchema?: Record<string, unknown> }).jsonSchema?.[direction];
  if (typeof carried !== "function") return undefined;
  try {
    return carried({ target: "draft-2020-12" }) as JsonSchema;
  } catch {
    return undefined;
  }
}
