/**
 * A question to the person at the page, without any look: what is asked, and the ways it can end. Whoever draws it
 * is given a {@link Question}; whoever asked holds the {@link OpenQuestion} around it.
 * A question ends once. What comes after that is refused politely, and so is an answer that does not fit, which
 * leaves it open. Knows no DOM.
 */
import type { Issue } from "../errors.js";
import type { JsonSchema } from "../infer.js";

/** What is asked: values by a schema, yes or no, whether a call may run, or a click that a browser demands. */
export type QuestionKind = "form" | "confirm" | "approval" | "button";

/** The call a question belongs to. */
export interface QuestionCall {
  readonly sessionId: string;
  readonly callId: string;
  readonly attempt: number;
  /** The tool's name. */
  readonly name: string;
  /** What the tool does or would do, for people. */
  readonly action?: string | undefined;
  /** The exact arguments that would run; with approvals alone. */
  readonly input?: unknown;
  /** Whether a yes may come with other arguments. */
  readonly editable?: boolean | undefined;
  /** What a yes covers beyond this call, and until when after the answer, in milliseconds. */
  readonly covers?: { readonly tool: string; readonly milliseconds: number } | undefined;
}

/** What became of an answer. */
export type Taken = { readonly ok: true } | Refused;

/** Why an answer was not taken. `invalid` and `unavailable` leave the question open. */
export interface Refused {
  readonly ok: false;
  readonly code: "invalid" | "unavailable" | "over";
  /** What was wrong, in words. */
  readonly problem: string;
  /** Every way in which the value breaks its schema. */
  readonly issues?: readonly Issue[] | undefined;
}

/** A question as whoever draws it gets it. */
export interface Question {
  readonly id: string;
  readonly kind: QuestionKind;
  readonly title: string;
  readonly message?: string | undefined;
  /** What a form asks for, or what edited arguments must fit; nothing where a Standard Schema carries no JSON Schema. */
  readonly schema?: JsonSchema | undefined;
  /** What to begin with; after a reload, what had been typed. */
  readonly initial?: unknown;
  readonly submitLabel?: string | undefined;
  readonly cancelLabel?: string | undefined;
  readonly call?: QuestionCall | undefined;
  /** Aborts when the question is over, however it ended: its reason is the {@link Ending}. */
  readonly signal: AbortSignal;
  /** When it is over at the latest, in milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
  /**
   * Answers: the value of a form, `true` or `false` to a yes-or-no question, for an approval also `{ input }` with
   * edited arguments. Never rejects.
   */
  answer(value?: unknown): Promise<Taken>;
  /** Says no, with the words the model may read. */
  decline(reason?: string): Taken;
  /** Keeps what was typed so far, where the question can come back after a reload. */
  keep(value: unknown): void;
}

/** How a question ended. */
export type Ending =
  | { readonly state: "answered"; readonly value: unknown }
  | { readonly state: "declined"; readonly reason?: string | undefined }
  | { readonly state: "withdrawn"; readonly reason?: string | undefined }
  | { readonly state: "expired" };

/** What a check makes of an answer. */
export type Checked = { readonly value: unknown } | Refused;

/** What whoever asks gives. */
export interface QuestionParts extends Pick<Question, "kind" | "title" | "message" | "schema" | "initial" | "submitLabel" | "cancelLabel" | "call" | "expiresAt"> {
  readonly id?: string | undefined;
  /** Withdraws the question when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Looks an answer over before it counts. Rejects only by mistake: then the answer is refused. */
  readonly check: (value: unknown) => Checked | Promise<Checked>;
  readonly keep?: ((value: unknown) => void) | undefined;
}

/** A question as whoever asked holds it. */
export interface OpenQuestion {
  readonly question: Question;
  /** Resolves with how it ended. */
  readonly ended: Promise<Ending>;
  /** Takes it back. */
  withdraw(reason?: string): void;
}

/** Longest reason that is passed on. */
const MAX_REASON = 500;
/** Timers take no longer spans. */
const MAX_SPAN = 2 ** 31 - 1;

/** Asks. Nobody is shown anything yet: that is up to whoever is given the question. */
export function openQuestion(parts: QuestionParts): OpenQuestion {
  const { check, keep, signal: outer, id = newId(), ...shown } = parts;
  const over = new AbortController();
  let ending: Ending | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let resolve: (ending: Ending) => void = () => undefined;
  const ended = new Promise<Ending>((settle) => (resolve = settle));

  const end = (how: Ending): void => {
    if (ending) return;
    ending = how;
    clearTimeout(timer);
    outer?.removeEventListener("abort", recalled);
    // First whoever asked, so that the click that answers is still a click where they go on.
    resolve(how);
    over.abort(how);
  };
  const recalled = (): void => end({ state: "withdrawn" });
  const refused = (): Refused | undefined => {
    if (!ending && parts.expiresAt !== undefined && Date.now() >= parts.expiresAt) end({ state: "expired" });
    if (!ending) return undefined;
    return { ok: false, code: "over", problem: PROBLEMS[ending.state] };
  };
  const watch = (expiresAt: number): void => {
    timer = setTimeout(() => (refused() ? undefined : watch(expiresAt)), Math.min(Math.max(expiresAt - Date.now(), 0), MAX_SPAN));
  };

  const question: Question = Object.freeze({
    ...shown,
    id,
    signal: over.signal,
    async answer(value?: unknown): Promise<Taken> {
      const before = refused();
      if (before) return before;
      let checked: Checked;
      try {
        // Only what has to be waited for is: a click is one for a moment alone.
        const looked = check(value);
        checked = looked instanceof Promise ? await looked : looked;
      } catch {
        checked = { ok: false, code: "unavailable", problem: "the answer could not be checked" };
      }
      const meanwhile = refused();
      if (meanwhile) return meanwhile;
      if ("ok" in checked) return checked;
      end({ state: "answered", value: checked.value });
      return { ok: true };
    },
    decline(reason?: string): Taken {
      const before = refused();
      if (before) return before;
      const words = typeof reason === "string" ? reason.trim().slice(0, MAX_REASON) : "";
      end(words ? { state: "declined", reason: words } : { state: "declined" });
      return { ok: true };
    },
    keep(value: unknown): void {
      if (!refused()) keep?.(value);
    },
  });

  outer?.addEventListener("abort", recalled, { once: true });
  if (outer?.aborted) recalled();
  else if (parts.expiresAt !== undefined) watch(parts.expiresAt);
  return {
    question,
    ended,
    withdraw: (reason) => end(reason === undefined ? { state: "withdrawn" } : { state: "withdrawn", reason }),
  };
}

/** Not `crypto.randomUUID`, which insecure pages lack: an id tells questions of one page apart, no more. */
function newId(): string {
  return `question-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
}

const PROBLEMS: Record<Ending["state"], string> = {
  answered: "the question was already answered",
  declined: "the question was already declined",
  withdrawn: "the question was withdrawn: nobody waits for its answer any more",
  expired: "the question has expired",
};
