/**
 * Finds out whether a call may run: by the page's policy, by what its tool says, by a yes that still counts, or by
 * asking the person at the page. Loaded by the first call that needs it; whatever it needs of the first load it is
 * {@link Given}. Only a clear yes is one.
 */
import { ask } from "./ask/asking.js";
import { Drafts } from "./ask/drafts.js";
import { noteEdit } from "./ask/edited.js";
import { decide } from "./ask/policy.js";
import type { Checked } from "./ask/question.js";
import { shown } from "./ask/shown.js";
import { same } from "./ask/values.js";
import { calledOff, unlessCalledOff } from "./called-off.js";
import type { CallKey } from "./events.js";
import type { Given } from "./given.js";
import type { Consent, HostParts } from "./host.js";
import type { ApprovalAnswer } from "./options.js";
import { toJsonText } from "./serialise.js";
import type { Tool } from "./tool.js";

/** How long a yes covers later calls, where the tool does not say. */
const GRANT = 600_000;

/** Asks, if it must. Never rejects. @internal */
export async function askConsent(given: Given, parts: HostParts, key: CallKey, name: string, text: string, signal: AbortSignal): Promise<Consent> {
  const caller = parts.dispatcher.stash.of(key).caller?.signal;
  return unlessCalledOff(caller, signal, () => ({ allow: false, reason: calledOff }), (either) => consentTo(given, parts, key, name, text, either));
}

async function consentTo(given: Given, parts: HostParts, key: CallKey, name: string, text: string, signal: AbortSignal): Promise<Consent> {
  const { options, numbers, registry, grants, now, dispatcher } = parts;
  const tool = registry.get(name);
  if (!tool) return { allow: false };
  const complain = (cause: unknown): void => parts.complain(name, cause);
  const parsed = given.parseOr(text, numbers);
  const input = given.checksOf(tool).seen(parsed);
  const origin = (globalThis as { location?: { origin?: string } }).location?.origin ?? "";
  const { decision, reason, once } = await decide(options.policy, { ...key, tool, input, origin }, complain);
  if (decision === "allow") return { allow: true };
  const note = dispatcher.stash.of(key);
  if (decision === "deny") {
    note.consent = { by: "policy", allowed: false };
    return { allow: false, reason: reason ?? "this page's policy does not allow it" };
  }
  const grant = JSON.stringify([key.sessionId, name]);
  if (once && (grants.get(grant) ?? 0) > now()) {
    note.consent = { by: "grant", allowed: true };
    return { allow: true };
  }
  let consent: Consent;
  try {
    const action = given.labelOf(tool, input);
    consent = options.onApproval
      ? decisionOf(given, await options.onApproval({ ...key, tool, input: parsed, action, signal }))
      : await byQuestion(given, parts, { ...key, name, action, input: parsed }, tool, once, signal);
  } catch (error) {
    complain(error);
    return { allow: false, reason: "the question could not be asked" };
  }
  // What differs by space or order alone was not changed.
  if (consent.text !== undefined && same(given.parseOr(consent.text, numbers), parsed)) consent = { allow: true };
  const { allow, text: edited } = consent;
  note.consent = edited === undefined ? { by: "user", allowed: allow } : { by: "user", allowed: allow, edited: { from: parsed } };
  // Whoever corrects a call has not trusted the next one.
  if (allow && once && edited === undefined) grants.set(grant, now() + (tool.grantFor ?? GRANT));
  if (allow && edited !== undefined && options.transport !== "trigger") note.finish = (value, end) => noteEdit(given, tool, edited, value, end);
  return consent;
}

/** Asks by a question: in the dialog, or as the app draws it. */
async function byQuestion(given: Given, parts: HostParts, call: CallKey & { name: string; action: string | undefined; input: unknown }, tool: Tool, once: boolean | undefined, signal: AbortSignal): Promise<Consent> {
  const { options, questions, dispatcher } = parts;
  let present = options.ask;
  if (!present) {
    const { askInDialog, canShow } = await import("./ask/dialog.js");
    if (!canShow()) return { allow: false, reason: "nobody here can agree to it" };
    present = askInDialog();
  }
  const editable = tool.editable === true;
  // A question whose call has not started comes back after a reload, and with it what was changed so far.
  const draft = editable ? new Drafts().at(dispatcher.emitter, call, "approval") : undefined;
  const open = ask(
    given,
    present,
    {
      kind: "approval",
      title: call.action ?? call.name,
      schema: editable ? given.checksOf(tool).declared("input") : undefined,
      initial: draft?.value,
      keep: draft?.keep,
      signal,
      call: { ...call, editable, covers: once ? { tool: tool.name, milliseconds: tool.grantFor ?? GRANT } : undefined },
      check: (value) => checked(given, parts, tool, value),
    },
    { opened: shown(questions, (event) => dispatcher.emitter.emit(event)) },
  );
  const ending = await open.ended;
  if (ending.state === "answered") return ending.value as Consent;
  if (ending.state === "declined") return ending.reason === undefined ? { allow: false } : { allow: false, reason: ending.reason };
  return { allow: false, reason: "the question was withdrawn" };
}

/** An answer to an approval: yes, no, or other arguments, which must fit as the first ones did. */
async function checked(given: Given, { numbers }: HostParts, tool: Tool, value: unknown): Promise<Checked> {
  const invalid = (problem: string): Checked => ({ ok: false, code: "invalid", problem });
  if (value === false) return { value: { allow: false } satisfies Consent };
  const { input, allow = true } = (typeof value === "object" && value !== null ? value : {}) as { input?: unknown; allow?: unknown };
  if (value !== true && (typeof value !== "object" || allow !== true)) return invalid("an approval is answered by true, false, or an object with the changed input");
  if (input === undefined) return { value: { allow: true } satisfies Consent };
  if (tool.editable !== true) return invalid(`the arguments of tool "${tool.name}" cannot be changed`);
  let text: string;
  try {
    text = toJsonText(input, given.messageOf);
  } catch (error) {
    return invalid(given.messageOf(error));
  }
  if (!text.startsWith("{")) return invalid("the arguments must be an object");
  const verdict = await given.checksOf(tool).check("input", text, numbers);
  if ("unavailable" in verdict) return { ok: false, code: "unavailable", problem: verdict.unavailable };
  if ("issues" in verdict) return { ok: false, code: "invalid", problem: verdict.issues.map((issue) => issue.message).join("; "), issues: verdict.issues };
  // What a Standard Schema made of it is made anew by the check before the run, and must not wait for another call.
  await given.checksOf(tool).input(text, numbers);
  return { value: { allow: true, text } satisfies Consent };
}

/** What `onApproval` gave. */
function decisionOf(given: Given, answer: ApprovalAnswer): Consent {
  if (answer === true) return { allow: true };
  if (typeof answer !== "object" || answer === null) return { allow: false };
  if (answer.allow !== true) {
    const reason: unknown = answer.reason;
    return typeof reason === "string" ? { allow: false, reason } : { allow: false };
  }
  if (answer.input === undefined) return { allow: true };
  try {
    return { allow: true, text: toJsonText(answer.input, given.messageOf) };
  } catch (error) {
    return { allow: false, reason: `the edited arguments cannot be used: ${given.messageOf(error)}` };
  }
}
