/**
 * Makes a tool of something that is none: a function, or an object that can be started, such as a workflow.
 * What is wrong with it is thrown at once. How it is run is in `run-as-tool.ts`, which its first call loads.
 */
import { PagehandError } from "./errors.js";
import { nested } from "./given.js";
import type { AnySchema, ArtifactsOf, FromSchema, InputOf, JsonSchema } from "./infer.js";
import { type Tool, type ToolContext, type ToolFields, isTool, tool } from "./tool.js";

type Start<Input, Artifacts, Result> = { of(input: Input, context: ToolContext<Artifacts>): Result }["of"];

/** What can be made a tool of: a function, or an object with `execute`, `run` or `invoke`. */
export type Runnable<Input = never, Artifacts = Record<string, unknown>, Result = unknown> =
  | Start<Input, Artifacts, Result>
  | { readonly name?: string | undefined; execute: Start<Input, Artifacts, Result> }
  | { readonly name?: string | undefined; run: Start<Input, Artifacts, Result> }
  | { readonly name?: string | undefined; invoke: Start<Input, Artifacts, Result> };

/** What {@link asTool} is given beside the runnable. */
export interface AsToolOptions<I extends AnySchema | undefined, O extends AnySchema | undefined, A extends AnySchema | undefined>
  extends Omit<ToolFields<InputOf<I>>, "name" | "mode" | "inputSchema" | "outputSchema"> {
  /** @defaultValue the runnable's own name */
  readonly name?: string | undefined;
  /** What its input must look like: a JSON Schema or a Standard Schema. */
  readonly inputSchema?: I;
  /** The JSON Schema to declare, where `inputSchema` is a Standard Schema that does not carry one. */
  readonly declaredSchema?: JsonSchema | undefined;
  /** What its result must look like. */
  readonly outputSchema?: O;
  /** Types `artifacts` of the context. */
  readonly artifactsSchema?: A;
}

/** The result of a runnable: what an envelope holds, or else the value itself. */
export type Unwrapped<Result> = Result extends { readonly report: unknown } | { readonly error?: unknown }
  ? Result extends { readonly data?: infer Data }
    ? Data
    : unknown
  : Result;

/**
 * Makes a tool of a runnable. What it throws, or gives as `error`, becomes a `ToolExecutionError` with that as its
 * cause. The model always gets its result. Throws `invalid-tool` over what cannot work.
 */
export function asTool<
  const I extends AnySchema | undefined = undefined,
  const O extends AnySchema | undefined = undefined,
  const A extends AnySchema | undefined = undefined,
  Result = unknown,
>(
  runnable: Runnable<InputOf<I>, ArtifactsOf<A>, Result>,
  options: AsToolOptions<I, O, A> = {},
): Tool<InputOf<I>, O extends AnySchema ? FromSchema<O> : Unwrapped<Awaited<Result>>> {
  const start = (runnable ?? {}) as unknown as Record<string, unknown>;
  if (typeof start !== "function" && !["execute", "run", "invoke"].some((method) => typeof start[method] === "function")) {
    throw new PagehandError("invalid-tool", "the runnable must be a function, or have execute, run or invoke");
  }
  const { name, inputSchema, declaredSchema, outputSchema, ...rest } = (options ?? {}) as unknown as AsToolOptions<AnySchema, AnySchema, undefined>;
  for (const field of ["mode", "execute", "input", "output"]) {
    if (field in rest) throw new PagehandError("invalid-tool", `${field} is no option of asTool`);
  }
  const execute = async (input: unknown, context: ToolContext) => {
    const { runAsTool } = await import("./run-as-tool.js");
    return runAsTool(nested, isTool, runnable as Runnable, input, context);
  };
  const config = { ...rest, name: name ?? start.name, input: inputSchema, inputSchema: declaredSchema, output: outputSchema, execute };
  return tool(config as never) as never;
}
