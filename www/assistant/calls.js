/**
 * The live list of calls: one entry per call and attempt, with arguments, verdict, states, answer and what the
 * engine recorded. It shows the runtime's events as they come and keeps nothing that an event did not say.
 */
import { byId, el } from "../dom.js";

const words = {
  received: ["Received", "busy"],
  checking: ["Checking", "busy"],
  "awaiting-user": ["Needs your OK", "busy"],
  queued: ["In line", "busy"],
  running: ["Running", "busy"],
  asking: ["Waiting for you", "busy"],
  answered: ["Answered", ""],
  stored: ["Answer kept", ""],
  sending: ["Sending", ""],
  waiting: ["Waiting to send", "busy"],
  sent: ["Sent", ""],
  confirmed: ["Confirmed", "good"],
  refused: ["Refused", "bad"],
  abandoned: ["Given up", "bad"],
  voided: ["Called off", "bad"],
};

const rows = ["Arguments", "Verdict", "Issues", "Consent", "Ran with", "Answer", "Code", "Recorded", "States"];
const verdicts = { valid: "good", invalid: "bad", malformed: "bad", unchecked: "" };
const longest = 4000;

/** Who agreed to a call, for people. */
function consentWords({ by, allowed, edited }) {
  if (by === "grant") return "Covered by your earlier yes";
  if (by === "policy") return allowed ? "Allowed by the page's policy" : "Refused by the page's policy";
  if (!allowed) return "You declined it";
  return edited ? "You allowed it, with changes" : "You allowed it";
}

/** Text for a value: JSON on several lines where it is an object, cut where it is endless. */
export function shown(value) {
  let text = typeof value === "string" ? value : JSON.stringify(value, (_key, part) => (typeof part === "bigint" ? String(part) : part), 2);
  if (typeof value === "string" && /^\s*[[{]/.test(value)) {
    try {
      text = JSON.stringify(JSON.parse(value), null, 2);
    } catch {
      // Broken JSON is shown as it came: that is the point of showing it.
    }
  }
  return text.length > longest ? `${text.slice(0, longest)} …` : text;
}

/** What the engine recorded, as the model reads it. */
function recordedText(result) {
  const content = result?.structuredContent ?? result?.content;
  if (!Array.isArray(content)) return shown(content ?? result ?? null);
  return shown(content.map((block) => block?.text ?? JSON.stringify(block)).join("\n"));
}

class Entry {
  constructor(name) {
    this.began = performance.now();
    this.states = [];
    this.chip = el("span", { class: "chip" });
    this.time = el("span", { class: "time" });
    this.facts = el("dl");
    this.rows = new Map();
    this.element = el("details", { class: "call", "data-name": name }, el("summary", {}, el("code", {}, name), this.time, this.chip), this.facts);
  }

  /** Sets one row of the details; each has its place, whenever it comes. */
  row(title, ...content) {
    const known = this.rows.get(title);
    if (known) return known.replaceChildren(...content);
    const dt = el("dt", {}, title);
    const dd = el("dd", {}, ...content);
    const next = rows.slice(rows.indexOf(title) + 1).find((name) => this.rows.has(name));
    const before = next ? this.rows.get(next).previousSibling : null;
    this.facts.insertBefore(dt, before);
    this.facts.insertBefore(dd, before);
    this.rows.set(title, dd);
  }

  /** Says where it stands; what failed has its color whatever comes later. */
  #label() {
    const [text, tone] = words[this.last] ?? [this.last, ""];
    const declined = this.failed === "declined";
    this.chip.textContent = this.failed && this.last === "confirmed" ? (declined ? "Declined" : "Error confirmed") : text;
    this.chip.dataset.tone = this.failed && tone !== "busy" ? (declined ? "" : "bad") : tone;
  }

  /** It ended with an error of that code; a no is not a failure. */
  fail(code) {
    this.failed = code;
    this.#label();
  }

  state(state) {
    this.last = state;
    this.#label();
    this.element.dataset.state = state;
    const [text] = words[state] ?? [state];
    this.states.push(`${text.toLowerCase()} ${Math.round(performance.now() - this.began)} ms`);
    this.row("States", this.states.join(" · "));
  }
}

export class CallList {
  #list = byId("calls");
  #entries = new Map();
  #byCall = new Map();

  #entryOf({ callId, attempt, name }) {
    const key = `${callId} ${attempt}`;
    let entry = this.#entries.get(key);
    if (!entry) {
      entry = new Entry(name);
      this.#entries.set(key, entry);
      this.#byCall.set(callId, entry);
      byId("calls-empty").hidden = true;
      const item = el("li", {}, entry.element);
      item.dataset.call = callId;
      this.#list.prepend(item);
      this.#count();
    }
    return entry;
  }

  #count() {
    const all = [...this.#entries.values()];
    const settled = all.filter((entry) => entry.settled).length;
    const open = all.length - settled;
    byId("calls-summary").textContent = `${all.length} ${all.length === 1 ? "call" : "calls"}, ${open ? `${open} open` : "all settled"}`;
  }

  /** A call changed its state. */
  changed(event) {
    const entry = this.#entryOf(event);
    if (event.arguments !== undefined) entry.row("Arguments", el("pre", { tabindex: "0" }, event.arguments === "" ? "(none)" : shown(event.arguments)));
    if (event.input) entry.row("Verdict", el("span", { class: "chip", "data-tone": verdicts[event.input] }, event.input));
    if (event.issues?.length) entry.row("Issues", el("ul", {}, ...event.issues.map((issue) => el("li", {}, issue.message))));
    entry.state(event.state);
  }

  /** A handler asks the customer, or no longer. Whether a call may run at all is a state of the call itself. */
  asked({ callId, kind, state }) {
    if (kind !== "approval") this.#byCall.get(callId)?.state(state === "asked" ? "asking" : "running");
  }

  /** A call ended: its report. */
  ended(report) {
    const entry = this.#entryOf(report);
    const { error, consent } = report;
    if (error) entry.fail(error.code);
    if (consent) entry.row("Consent", consentWords(consent));
    if (consent?.edited) entry.row("Ran with", el("pre", { tabindex: "0" }, shown(report.input)));
    const ran = report.duration > 0 || !error;
    entry.time.textContent = !ran ? "not run" : report.duration >= 10_000 ? `${Math.round(report.duration / 1000)} s` : `${report.duration} ms`;
    entry.row("Answer", el("pre", { tabindex: "0" }, error ? error.message : shown(report.output ?? null)));
    if (error) entry.row("Code", error.code);
  }

  /** The engine closed its books. */
  recorded(event) {
    const entry = this.#byCall.get(event.id);
    if (!entry) return;
    entry.settled = true;
    entry.row("Recorded", el("pre", { tabindex: "0" }, event.ok ? recordedText(event.result) : (event.error ?? "an error")));
    this.#count();
  }
}
