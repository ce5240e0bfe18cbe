/**
 * Questions within a call: `ctx.ask` and `ctx.confirm`. While a person is asked, the call's clock stands still; when
 * the call is called off, the question goes. Loaded by the first of them; what it needs of the first load it is given.
 */
import type { CallKey, QuestionEvent } from "../events.js";
import type { Given } from "../given.js";
import type { Host } from "../host.js";
import type { RunParts } from "../stash.js";
import { type ConfirmRequest, type FormRequest, type Present, type RequestFields, askConfirm, askForm } from "./asking.js";
import { Drafts } from "./drafts.js";
import type { Question, QuestionCall } from "./question.js";
import { shown } from "./shown.js";

/** Who asks. */
export interface Asker extends CallKey {
  /** The tool's name. */
  readonly name: string;
  readonly action?: string | undefined;
  readonly signal: AbortSignal;
  /** How questions are shown; else by the dialog. */
  readonly present?: Present | undefined;
  /** The open questions of the runtime. */
  readonly questions?: Set<Question> | undefined;
  readonly emit?: ((event: QuestionEvent) => void) | undefined;
  /** Stops the call's clock, or lets it go on. */
  readonly clock?: ((stop: boolean) => void) | undefined;
  /** Gives what had been typed into the n-th form, and keeps what is; nothing where it does not come back. */
  readonly draft?: ((n: number) => { value: unknown; keep: (value: unknown) => void }) | undefined;
}

/** What a run has asked so far, by what is its own: the signal. The clock is one for all its questions. */
const runs = new WeakMap<AbortSignal, { forms: number; open: number; clock: Asker["clock"] }>();

/** Asks for a form, or for a yes or no. */
export async function askWithin(given: Given, asker: Asker, form: boolean, request: unknown): Promise<unknown> {
  const { signal, present } = asker;
  if (signal.aborted) throw new given.PagehandError("cancelled", "the call was called off");
  const run = runs.get(signal) ?? { forms: 0, open: 0, clock: asker.clock };
  runs.set(signal, run);
  const show = present ?? (await dialog());
  const { sessionId, callId, attempt, name, action } = asker;
  const call: QuestionCall = { sessionId, callId, attempt, name, action };
  const clock = (change: 1 | -1): void => {
    const before = run.open;
    run.open += change;
    if ((before === 0) !== (run.open === 0)) run.clock?.(run.open > 0);
  };
  let asking = false;
  const extras = { call, opened: shown(asker.questions, asker.emit, () => ((asking = true), clock(1))) };
  try {
    if (!form) return await askConfirm(given, show, bound(request as string | ConfirmRequest, signal), extras);
    const draft = asker.draft?.((run.forms += 1));
    const wanted = bound(request as FormRequest, signal) as FormRequest;
    return await askForm(given, show, draft?.value === undefined ? wanted : { ...wanted, initial: draft.value }, { ...extras, keep: draft?.keep });
  } finally {
    if (asking) clock(-1);
  }
}

/** The dialog, where nobody else shows questions. */
export async function dialog(): Promise<Present> {
  const { askInDialog } = await import("./dialog.js");
  return askInDialog();
}

/** A request that is withdrawn with its call, too. */
function bound<R extends RequestFields>(request: string | R, signal: AbortSignal): RequestFields | R {
  if (typeof request !== "object" || request === null) return { title: request, signal };
  return { ...request, signal: request.signal ? AbortSignal.any([request.signal, signal]) : signal };
}

/** Asks for the handler of a runtime's call. @internal */
export function askInCall(given: Given, parts: RunParts, run: Parameters<Host["invoke"]>, form: boolean, request: unknown): Promise<unknown> {
  const [invocation, sessionId, callId, attempt, turnId, name, , , , signal] = run;
  const key = { sessionId, callId, attempt };
  const { options, questions, registry, dispatcher, call, progressed } = parts;
  const { emitter, stash } = dispatcher;
  const { annotations, timeout } = registry.get(name) ?? {};
  let signs: ReturnType<typeof setInterval> | undefined;
  // A run for another page has no number here: that page's clock is kept from running out by signs of life.
  const alive = (stop: boolean): void => {
    clearInterval(signs);
    if (!stop || timeout === undefined) return;
    const sign = () => progressed(0, { type: "tool.progress", ...key, turnId: turnId ?? null, name, value: undefined });
    signs = setInterval(sign, timeout / 3);
  };
  const again = annotations?.readOnly === true || annotations?.idempotent === true;
  const asker: Asker = {
    ...key,
    name,
    action: stash.of(key).action,
    signal,
    present: options.ask,
    questions,
    emit: (event) => emitter.emit(event),
    clock: (stop) => (invocation ? void call((raw) => (stop ? raw.askingStarted(invocation) : raw.askingEnded(invocation))) : alive(stop)),
    draft: again ? (n) => new Drafts().at(emitter, key, `${n}`) : undefined,
  };
  return askWithin(given, asker, form, request);
}
