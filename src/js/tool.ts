/**
 * Declares tools. A tool is frozen data with its function: it belongs to no runtime and may serve many.
 * What is wrong with a declaration is thrown here, at once, naming the field.
 */
import { invokeAlone } from "./alone.js";
import { checksOf } from "./checks.js";
import { Emitter, type ListenOptions, type Unsubscribe } from "./emitter.js";
import { PagehandError } from "./errors.js";
import type { Issue } from "./errors.js";
import type { CalledEvent, CallingEvent, FailedEvent, ProgressEvent } from "./events.js";
import type { AnySchema, FromSchema, InputOf, JsonSchema } from "./infer.js";
import type { Invocation, InvokeContext } from "./invoke.js";
import { isStandardSchema } from "./standard-schema.js";

/** What a handler gets beside its input. */
export interface ToolContext {
  /** A bag for what the page needs and the model must not see. */
  readonly artifacts: Record<string, unknown>;
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
}

// Methods are compared both ways, so that a list may mix tools of different inputs.
type ActionOf<Input> = { of(input: Input): string }["of"];
type ApproveOf<Input> = { of(input: Input): boolean | PromiseLike<boolean> }["of"];

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
  /** Whether a person must agree before it runs; a function decides by the arguments. */
  readonly approve?: boolean | ApproveOf<Input> | undefined;
  /** Longest run in milliseconds, while no person is being asked. */
  readonly timeout?: number | undefined;
  /** Calls of one lane run one after another. */
  readonly lane?: string | undefined;
  /** How the result is put on the wire. @defaultValue `"auto"` */
  readonly encoding?: "auto" | "plain" | "wrapped" | undefined;
}

/** What {@link tool} is given. */
export interface ToolConfig<I extends AnySchema | undefined, O extends AnySchema | undefined, Result>
  extends ToolFields<InputOf<I>> {
  /** A JSON Schema or a Standard Schema. Without one, any object passes. */
  readonly input?: I;
  /** What the result must look like. */
  readonly output?: O;
  /** Does it. May return anything, promise or not, and throw anything. */
  readonly execute: (input: InputOf<I>, context: ToolContext) => Result;
}

/** The events of one tool. */
export type ToolEvent = CallingEvent | CalledEvent | FailedEvent | ProgressEvent;

/** A tool: a declaration with its function. */
export interface Tool<Input = unknown, Output = unknown> extends ToolFields<Input> {
  readonly input?: AnySchema | undefined;
  readonly output?: AnySchema | undefined;
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
>(config: ToolConfig<I, O, Result>): Tool<InputOf<I>, O extends AnySchema ? FromSchema<O> : Awaited<Result>> {
  validate(config as unknown as LooseConfig);
  const emitter = new Emitter<ToolEvent>(() => watchers.forEach((changed) => changed()));
  const made = {
    ...config,
    invoke: (rawInput?: unknown, context?: InvokeContext) => invokeAlone(made as unknown as Tool, rawInput, context),
    on: emitter.on.bind(emitter),
  };
  emitters.set(made, emitter);
  checksOf(made as unknown as Tool);
  return Object.freeze(made) as unknown as Tool<InputOf<I>, O extends AnySchema ? FromSchema<O> : Awaited<Result>>;
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

type LooseConfig = ToolConfig<AnySchema | undefined, AnySchema | undefined, unknown>;

const NAME = /^[\w.:/-]{1,128}$/;

function validate(config: LooseConfig): void {
  const wrong = (field: string, what: string) => {
    const name = typeof config?.name === "string" ? ` of tool "${config.name.slice(0, 128)}"` : "";
    throw new PagehandError("invalid-tool", `${field}${name} ${what}`);
  };
  if (typeof config !== "object" || config === null) wrong("the declaration", "must be an object");
  if (typeof config.name !== "string" || !NAME.test(config.name)) {
    wrong("name", "must be 1 to 128 letters, digits or any of _ . : / -");
  }
  if (typeof config.execute !== "function") wrong("execute", "must be a function");
  for (const field of ["description", "version", "lane"] as const) {
    if (config[field] !== undefined && typeof config[field] !== "string") wrong(field, "must be a string");
  }
  for (const field of ["input", "output", "inputSchema", "outputSchema"] as const) {
    const schema: unknown = config[field];
    const plain = typeof schema === "boolean" || (typeof schema === "object" && schema !== null && !Array.isArray(schema));
    const standard = (field === "input" || field === "output") && isStandardSchema(schema);
    if (schema !== undefined && !plain && !standard) wrong(field, "must be a JSON Schema or a Standard Schema");
  }
  const oneOf = (field: "mode" | "encoding", values: readonly string[]) => {
    const value = config[field];
    if (value !== undefined && !values.includes(value)) wrong(field, `must be one of ${values.join(", ")}`);
  };
  oneOf("mode", ["feedback", "silent"]);
  oneOf("encoding", ["auto", "plain", "wrapped"]);
  const { action, approve, onInvalid, timeout, annotations } = config;
  if (action !== undefined && typeof action !== "string" && typeof action !== "function") {
    wrong("action", "must be a string or a function");
  }
  if (approve !== undefined && typeof approve !== "boolean" && typeof approve !== "function") {
    wrong("approve", "must be a boolean or a function");
  }
  if (onInvalid !== undefined && onInvalid !== "reject" && onInvalid !== "run" && typeof onInvalid !== "function") {
    wrong("onInvalid", 'must be "reject", "run" or a function');
  }
  if (timeout !== undefined && !(Number.isFinite(timeout) && timeout > 0)) wrong("timeout", "must be milliseconds above 0");
  if (annotations !== undefined && (typeof annotations !== "object" || annotations === null)) {
    wrong("annotations", "must be an object");
  }
}
