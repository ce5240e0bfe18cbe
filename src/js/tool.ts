/**
 * Declares tools. A tool is frozen data with its function: it belongs to no runtime and may serve many.
 * What is wrong with a declaration is thrown here, at once, naming the field.
 */
import type { ConfirmRequest, FormRequest } from "./ask/asking.js";
import type { PolicyDecision } from "./ask/policy.js";
import { checksOf } from "./checks.js";
import { Emitter, type ListenOptions, type Unsubscribe } from "./emitter.js";
import { PagehandError, messageOf } from "./errors.js";
import type { Issue } from "./errors.js";
import type { CalledEvent, CallingEvent, FailedEvent, ProgressEvent } from "./events.js";
import { given } from "./given.js";
import type { AnySchema, ArtifactsOf, FromSchema, InputOf, JsonSchema, OutputOf } from "./infer.js";
import { type Invocation, type InvokeContext, failedInvocation } from "./invoke.js";
import { type Rule, type Rules, aBoolean, aFunction, aJsonSchema, aSchema, aString, anObject, oneOf, validate } from "./shape.js";

/** What a handler gets beside its input. */
export interface ToolContext<Bag = Record<string, unknown>> {
  /** A bag for what the page needs and the model must not see. */
  readonly artifacts: Bag;
  /** Aborts when the result is no longer wanted: called off, timed out, unregistered, closed. */
  readonly signal: AbortSignal;
  readonly callId: string;
  /** The attempt, as the engine counts. */
  readonly attempt: number;
  /** When the run must have ended, in milliseconds since the epoch. */
  readonly deadline?: number | undefined;
  readonly sessionId?: string | undefined;
  readonly turnId?: string | undefined;
  /** Says that the handler is alive: its timeout starts anew. The value goes to listeners. */
  progress(value?: unknown): void;
  /**
   * Asks the person at the page to fill in a form. Resolves to what the schema lets pass; rejects with code `declined`.
   * The call's clock stands still meanwhile.
   */
  ask<const S extends AnySchema>(request: FormRequest<S>): Promise<FromSchema<S>>;
  /** Asks the person at the page for a yes or no. The call's clock stands still meanwhile. */
  confirm(request: string | ConfirmRequest): Promise<boolean>;
  /**
   * Runs something once the answer is with the engine, or kept for later where it cannot be sent now: the place to
   * leave the page from. A navigation before that would take the answer along.
   */
  after(run: () => unknown): void;
}

/** Why arguments were not taken. */
export interface InvalidInput {
  /** The arguments as the model wrote them. */
  readonly text: string;
  /** What is wrong, in words. */
  readonly problem: string;
  /** Every violation; none when the text is not JSON. */
  readonly issues: readonly Issue[];
}

/** What a tool does to the page and the world: drives replay after a reload, and consent. */
export interface ToolAnnotations {
  /** It changes nothing. */
  readonly readOnly?: boolean | undefined;
  /** Twice is as good as once. */
  readonly idempotent?: boolean | undefined;
  /** What it does cannot be undone. */
  readonly destructive?: boolean | undefined;
  /** Its result holds what others wrote, a page or a file say, which is data and no instruction. */
  readonly untrusted?: boolean | undefined;
}

// Methods are compared both ways, so that a list may mix tools of different inputs.
type ActionOf<Input> = { of(input: Input): string }["of"];
type ApproveOf<Input> = { of(input: Input): Approved | PromiseLike<Approved> }["of"];
type Approved = boolean | PolicyDecision;

/** What every tool has, whatever its types. */
export interface ToolFields<Input> {
  /** The name the model calls it by. */
  readonly name: string;
  /** What the model reads when it decides. */
  readonly description?: string | undefined;
  /** Mirrored onto reports. */
  readonly version?: string | undefined;
  /** The JSON Schema to declare, where `input` is a Standard Schema that does not carry one. */
  readonly inputSchema?: JsonSchema | undefined;
  /** The same for `output`. */
  readonly outputSchema?: JsonSchema | undefined;
  /** What it is doing, for people. Runs after validation; if it throws, only the label is lost. */
  readonly action?: string | ActionOf<Input> | undefined;
  /** `silent`: the model does not get the result. @defaultValue `"feedback"` */
  readonly mode?: "feedback" | "silent" | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  /** What to do with arguments that do not fit. A function proposes new ones. @defaultValue `"reject"` */
  readonly onInvalid?: "reject" | "run" | ((invalid: InvalidInput) => unknown) | undefined;
  /**
   * Whether a person must agree before it runs: `"always"` (or `true`), `"once"` for a yes that also covers later calls
   * of the session for a while, `"never"` (or `false`). A function decides by the arguments.
   * @defaultValue `"always"` for a tool marked `destructive`, else `"never"`
   */
  readonly approve?: boolean | "always" | "once" | "never" | ApproveOf<Input> | undefined;
  /** How long a yes counts with `approve: "once"`, in milliseconds. @defaultValue ten minutes */
  readonly grantFor?: number | undefined;
  /** Whether the person may change the arguments before they agree. They are checked again. @defaultValue `false` */
  readonly editable?: boolean | undefined;
  /** Longest run in milliseconds, while no person is being asked. */
  readonly timeout?: number | undefined;
  /** Calls of one lane run one after another. */
  readonly lane?: string | undefined;
  /** How the result is put on the wire. @defaultValue `"auto"` */
  readonly encoding?: "auto" | "plain" | "wrapped" | undefined;
}

/** What {@link tool} is given. */
export interface ToolConfig<I extends AnySchema | undefined, O extends AnySchema | undefined, Result, A extends AnySchema | undefined = undefined>
  extends ToolFields<InputOf<I>> {
  /** A JSON Schema or a Standard Schema. Without one, any object passes. */
  readonly input?: I;
  /** What the result must look like. */
  readonly output?: O;
  /** Types the `artifacts` of the context: a JSON Schema or a Standard Schema. Nothing is checked by it. */
  readonly artifactsSchema?: A;
  /** Does it. May return anything, promise or not, and throw anything. */
  readonly execute: (input: InputOf<I>, context: ToolContext<ArtifactsOf<A>>) => Result;
}

/** The events of one tool. */
export type ToolEvent = CallingEvent | CalledEvent | FailedEvent | ProgressEvent;

/** A tool: a declaration with its function. */
export interface Tool<Input = unknown, Output = unknown> extends ToolFields<Input> {
  readonly input?: AnySchema | undefined;
  readonly output?: AnySchema | undefined;
  readonly artifactsSchema?: AnySchema | undefined;
  execute(input: Input, context: ToolContext): unknown;
  /** Runs it without a runtime. Never throws or rejects. */
  invoke(rawInput?: unknown, context?: InvokeContext): Promise<Invocation<Output>>;
  /** Listens to its calls in every runtime it serves. */
  on<Type extends ToolEvent["type"]>(
    type: Type,
    listener: (event: Extract<ToolEvent, { type: Type }>) => void,
    options?: ListenOptions,
  ): Unsubscribe;
}

const emitters = new WeakMap<object, Emitter<ToolEvent>>();
const watchers = new Set<() => void>();

/** Declares a tool. Throws `invalid-tool` over a declaration that cannot work. */
export function tool<
  const I extends AnySchema | undefined = undefined,
  const O extends AnySchema | undefined = undefined,
  Result = unknown,
  const A extends AnySchema | undefined = undefined,
>(config: ToolConfig<I, O, Result, A>): Tool<InputOf<I>, O extends AnySchema ? OutputOf<O> : Awaited<Result>> {
  if (!anObject[1](config)) throw new PagehandError("invalid-tool", `the declaration ${anObject[0]}`);
  const emitter = new Emitter<ToolEvent>(() => watchers.forEach((changed) => changed()));
  const fields = { ...config } as unknown as Tool;
  const { name, annotations } = fields;
  const of = typeof name === "string" ? ` of tool "${name.slice(0, 128)}"` : "";
  validate("invalid-tool", fields, RULES, "", of);
  if (annotations) validate("invalid-tool", annotations, ANNOTATIONS, "annotations.", of);
  const made: Tool = { ...fields, invoke: (...run) => invoke(made, ...run) as never, on: emitter.on.bind(emitter) };
  emitters.set(made, emitter);
  checksOf(made);
  return Object.freeze(made) as never;
}

/** Runs a tool without a runtime; how that is done is loaded when it is wanted. */
async function invoke(made: Tool, rawInput?: unknown, context?: InvokeContext): Promise<Invocation> {
  try {
    const { invokeAlone } = await import("./alone.js");
    return await invokeAlone(given, made, rawInput, context);
  } catch (cause) {
    const why = `what runs a tool without a runtime could not be loaded: ${messageOf(cause)}`;
    return failedInvocation(made.name, new PagehandError("validator-unavailable", why, { cause }));
  }
}

/** Whether a value was made by {@link tool}. @internal */
export function isTool(value: unknown): value is Tool {
  return typeof value === "object" && value !== null && emitters.has(value);
}

/** The listeners of one tool. @internal */
export function emitterOf(made: Tool): Emitter<ToolEvent> | undefined {
  return emitters.get(made);
}

/** Hears when some tool's listeners changed. @internal */
export function watchTools(changed: () => void): Unsubscribe {
  watchers.add(changed);
  return () => watchers.delete(changed);
}

const NAME = /^[\w.:/-]{1,128}$/;

const milliseconds: Rule = ["must be milliseconds above 0", (span) => Number.isFinite(span) && (span as number) > 0];

const RULES: Rules = {
  name: ["must be 1 to 128 letters, digits or any of _ . : / -", (name) => typeof name === "string" && NAME.test(name), true],
  description: aString,
  version: aString,
  input: aSchema,
  output: aSchema,
  inputSchema: aJsonSchema,
  outputSchema: aJsonSchema,
  artifactsSchema: aSchema,
  action: ["must be a string or a function", (action) => typeof action === "string" || typeof action === "function"],
  mode: oneOf("feedback", "silent"),
  annotations: anObject,
  onInvalid: ['must be "reject", "run" or a function', (choice) => choice === "reject" || choice === "run" || typeof choice === "function"],
  approve: ['must be "always", "once", "never", a boolean or a function', (approve) => /^(always|once|never|true|false)$/.test(approve as string) || typeof approve === "function"],
  grantFor: milliseconds,
  editable: aBoolean,
  timeout: milliseconds,
  lane: aString,
  encoding: oneOf("auto", "plain", "wrapped"),
  execute: [aFunction[0], aFunction[1], true],
};

const ANNOTATIONS: Rules = { readOnly: aBoolean, idempotent: aBoolean, destructive: aBoolean, untrusted: aBoolean };
