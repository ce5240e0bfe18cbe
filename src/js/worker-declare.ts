/**
 * A page's tools as an agent's configuration lists them, for the worker's answer to `session.start`.
 */
import { declarable } from "./declarable.js";
import { PagehandError } from "./errors.js";
import type { AnySchema, JsonSchema } from "./infer.js";
import type { AgentTool } from "./worker-types.js";

/** What can be declared: what `tool()` made, what `runtime.declarations()` gives, or a plain object like these. */
export interface Declarable {
  readonly name: string;
  readonly description?: string | undefined;
  /** A JSON Schema, or a Standard Schema; one that carries no JSON Schema is declared by `inputSchema`. */
  readonly input?: unknown;
  readonly output?: unknown;
  readonly inputSchema?: JsonSchema | undefined;
  readonly outputSchema?: JsonSchema | undefined;
  readonly mode?: "feedback" | "silent" | undefined;
  readonly defer?: boolean | undefined;
}

/**
 * The tools as an engine is told of them, each to run in the client. What only the page needs is left out, and the
 * output schema of a silent tool, because its answer is an acknowledgement.
 *
 * Throws `invalid-tool` over a tool without a name or with a schema that is none, `duplicate-tool` over a name that
 * comes twice.
 */
export function declare(tools: Iterable<Declarable>): AgentTool[] {
  const declared = new Map<string, AgentTool>();
  for (const tool of tools) {
    const name: unknown = tool?.name;
    if (typeof name !== "string" || name === "") throw new PagehandError("invalid-tool", "a tool to declare has no name");
    if (declared.has(name)) throw new PagehandError("duplicate-tool", `two tools to declare are named "${name}"`);
    const input = schemaOf(tool, "input");
    const output = tool.mode === "silent" ? undefined : schemaOf(tool, "output");
    declared.set(name, {
      name,
      ...(tool.description !== undefined && { description: tool.description }),
      ...(input !== undefined && { input }),
      ...(output !== undefined && { output }),
      handler: "client",
      ...(tool.defer !== undefined && { defer: tool.defer }),
    });
  }
  return [...declared.values()];
}

function schemaOf(tool: Declarable, direction: "input" | "output"): JsonSchema | undefined {
  const own = direction === "input" ? tool.inputSchema : tool.outputSchema;
  const schema: unknown = own ?? declarable(tool[direction] as AnySchema | undefined, direction) ?? undefined;
  const fits = schema === undefined || typeof schema === "boolean" || (typeof schema === "object" && !Array.isArray(schema));
  if (!fits) throw new PagehandError("invalid-tool", `${direction} of tool "${tool.name}" must be a JSON Schema or a Standard Schema`);
  return schema as JsonSchema | undefined;
}
