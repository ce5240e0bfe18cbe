/**
 * Runs something that a browser allows within a person's gesture alone. Where a gesture is still fresh (the click that
 * allowed the call), it is run at once; else, and beside it where that takes longer, the person is asked for one click,
 * and the action is begun within the very handler of that click.
 * It is a question of the call like any other: the app may draw it, the call's clock stands still, a no is `declined`.
 */
import type { StandardSchema } from "../standard-schema.js";
import type { ToolContext } from "../tool.js";
import type { Environment } from "./environment.js";
import { BrowserToolError, nameOf } from "./trouble.js";
import { calledOff } from "./within.js";

/** What the person is asked for. */
export interface ClickRequest {
  readonly title: string;
  readonly message?: string | undefined;
  readonly submitLabel: string;
  /** What the click is about, to be seen before it: a label and a text. */
  readonly shows: readonly [label: string, text: string];
  /** Whether the action may begin without a gesture. @defaultValue `false` */
  readonly free?: boolean | undefined;
  /** How long the action may take before the question is shown beside it, in milliseconds. @defaultValue 400 */
  readonly soon?: number | undefined;
}

type Outcome<T> = { readonly value: T } | { readonly error: unknown };

/** Longest text that is shown beside the button. */
const MAX_SHOWN = 1_000;

/** Whether a person has just clicked or typed, so that a browser takes what is done now for their doing. */
function gestureIsFresh(): boolean {
  return (navigator as { userActivation?: { isActive: boolean } }).userActivation?.isActive === true;
}

/**
 * Runs `action` in a gesture. It must begin what needs the gesture before its first `await`; its signal aborts once
 * nobody waits for it. It may be run twice: a browser may lose the first without a word.
 */
export async function inGesture<T>(environment: Environment, context: ToolContext, request: ClickRequest, action: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController();
  const stop = (): void => over.abort(context.signal.reason);
  if (context.signal.aborted) throw calledOff();
  context.signal.addEventListener("abort", stop);
  try {
    let first: Promise<Outcome<T> | undefined> | undefined;
    if (request.free || gestureIsFresh()) {
      first = settled(action, over.signal);
      const early = await Promise.race([first, later(request.soon ?? 400, over.signal)]);
      if (early) return opened(early);
    }
    return opened(await asked(environment, context, request, action, first, over.signal));
  } finally {
    context.signal.removeEventListener("abort", stop);
    over.abort();
  }
}

/** Asks for the click, until that or what was begun before it comes to something. */
async function asked<T>(environment: Environment, context: ToolContext, request: ClickRequest, action: (signal: AbortSignal) => Promise<T>, first: Promise<Outcome<T> | undefined> | undefined, signal: AbortSignal): Promise<Outcome<T>> {
  const enough = new AbortController();
  signal.addEventListener("abort", () => enough.abort(), { once: true });
  let going: Promise<Outcome<T> | undefined> | undefined;
  const within: StandardSchema<unknown, Outcome<T>> = {
    "~standard": {
      version: 1,
      vendor: "pagehand",
      // Runs inside the handler of the click, and holds the question open, so that the clock stands still.
      validate: async () => {
        going ??= settled(action, signal);
        const outcome = await going;
        going = undefined;
        return outcome ? { value: outcome } : { issues: [{ message: "the browser did not take this for a click: please try again" }] };
      },
    },
  };
  const { title, message, submitLabel, shows } = request;
  const [label, text] = shows;
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  const question = context.ask({
    title,
    message,
    submitLabel,
    cancelLabel: environment.texts.cancel,
    schema: within,
    // A form of one constant: there is something to see, and nothing to fill in.
    inputSchema: { type: "object", properties: { about: { title: label, const: shown } }, required: ["about"] },
    expiresAt: Date.now() + environment.limits.wait,
    signal: enough.signal,
  }) as Promise<Outcome<T>>;
  question.catch(() => undefined);
  try {
    // What a browser refused for want of a gesture leaves the question open.
    const before = first?.then((outcome) => outcome ?? question);
    return await Promise.race(before ? [question, before] : [question]);
  } finally {
    enough.abort();
  }
}

/** Begins an action at once. Resolves with how it ended, or with nothing where the browser wants a gesture. */
function settled<T>(action: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<Outcome<T> | undefined> {
  try {
    return action(signal).then(
      (value) => ({ value }),
      (error: unknown) => (wantsGesture(error) ? undefined : { error }),
    );
  } catch (error) {
    return Promise.resolve(wantsGesture(error) ? undefined : { error });
  }
}

function wantsGesture(error: unknown): boolean {
  return error instanceof BrowserToolError && error.reason === "gesture";
}

/** Whether a browser refused something for want of a gesture, as far as its words tell. */
export function refusedForGesture(thrown: unknown): boolean {
  return /^(NotAllowed|Security|InvalidState)Error$/.test(nameOf(thrown)) && /gesture|activation|user interaction|not focused/i.test(String((thrown as { message?: unknown }).message));
}

/** Says that a gesture is wanted. */
export function gestureWanted(thrown: unknown): Error {
  return new BrowserToolError("gesture", "the browser wants a click of the user for this, and got none", { cause: thrown });
}

function later(milliseconds: number, signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds, undefined);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve(undefined)), { once: true });
  });
}

function opened<T>(outcome: Outcome<T>): T {
  if ("error" in outcome) throw outcome.error;
  return outcome.value;
}
