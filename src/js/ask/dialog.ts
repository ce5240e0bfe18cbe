/**
 * The built-in dialog: draws a {@link Question} in a modal `<dialog>` within an open shadow root of its own, one at a
 * time. It answers through the question alone, so it decides nothing: what does not fit comes back as problems.
 * Touches the page only by adding its host, `<pagehand-ask>`, while a question is open.
 */
import type { Issue } from "../errors.js";
import { ABSENT, type Control, type Problem, type Reading, type Sheet } from "./controls/control.js";
import { build } from "./controls/build.js";
import { readRequired } from "./controls/nested.js";
import { fieldOf } from "./fields.js";
import { Line } from "./line.js";
import { make, set } from "./make.js";
import { argumentList, lookOf } from "./looks.js";
import { parsing } from "./parsing.js";
import type { Question, Refused } from "./question.js";
import { styles } from "./styles.js";
import { type PartialTexts, type Texts, fill, textsWith } from "./texts.js";
import { same } from "./values.js";

/** How the dialog looks and speaks. */
export interface DialogOptions {
  /** Other words, for other languages. */
  readonly texts?: PartialTexts | undefined;
  /** @defaultValue `"auto"`: what the page's `color-scheme` says, else what the person prefers */
  readonly theme?: "auto" | "light" | "dark" | undefined;
  /** Where the host is put. @defaultValue the document's root element, which no framework renders into */
  readonly parent?: Node | undefined;
}

/** How long after it is shown an approval cannot be given, in milliseconds. */
const HELD = 400;

/** The questions of this page stand in one line, whoever asks them. */
const line = new Line();
let ids = 0;

/** Whether there is a page to ask in. */
export function canShow(): boolean {
  return typeof document !== "undefined" && typeof HTMLDialogElement === "function" && typeof CSSStyleSheet === "function";
}

/** Shows questions in the dialog. Where there is no page, they are declined. */
export function askInDialog(options: DialogOptions = {}): (question: Question) => void {
  const texts = textsWith(options.texts);
  return (question) => {
    if (!canShow()) return void question.decline("there is no page here to ask in");
    line.join(question.signal, () => {
      try {
        return new Shown(question, texts, options).over;
      } catch (error) {
        question.decline("the question could not be shown");
        throw error;
      }
    });
  };
}

/** One question on the screen. */
class Shown {
  readonly over: Promise<void>;
  readonly #question: Question;
  readonly #texts: Texts;
  readonly #host = document.createElement("pagehand-ask");
  readonly #dialog: HTMLDialogElement;
  readonly #form: HTMLFormElement;
  readonly #title: HTMLHeadingElement;
  readonly #submit: HTMLButtonElement;
  readonly #summary: HTMLDivElement;
  readonly #status: HTMLDivElement;
  readonly #reason: HTMLInputElement | undefined;
  readonly #root: Control | undefined;
  #heading: HTMLElement | undefined;
  /** The fields that something is wrong with, and the line of the summary that says so. */
  readonly #flagged = new Map<Control, HTMLElement>();
  #busy = false;

  constructor(question: Question, texts: Texts, options: DialogOptions) {
    this.#question = question;
    this.#texts = texts;
    const look = lookOf(question, texts);
    const title = this.#id();
    const message = this.#id();
    const { message: words, initial, call } = question;
    this.#root = look.fields ? this.#build(fieldOf(question.schema, ""), initial ?? call?.input, question.title) : undefined;
    this.#title = make("h2", { part: "title", id: title, tabindex: "-1" }, look.title);
    this.#submit = make("button", { part: "button submit", type: "submit" }, look.submit);
    const cancel = look.cancel === undefined ? undefined : make("button", { part: "button cancel", type: "button" }, look.cancel);
    this.#summary = make("div", { part: "summary", class: "summary", role: "group", tabindex: "-1", hidden: true });
    this.#status = make("div", { part: "status", class: "status", role: "status" });
    const reasonId = this.#id();
    this.#reason = look.reason ? make("input", { part: "input reason", type: "text", id: reasonId, maxlength: "500", autocomplete: "off" }) : undefined;
    const needed = this.#root !== undefined && this.#root.element.querySelector("[part=mark]") !== null;
    this.#form = make(
      "form",
      { part: "form", novalidate: true, autocomplete: "on" },
      this.#title,
      words ? make("p", { part: "message", class: "message", id: message }, words) : undefined,
      ...look.notes.map((note) => make("p", { part: "note", class: "note" }, note)),
      this.#summary,
      needed ? make("p", { part: "note", class: "note" }, texts.requiredNote) : undefined,
      look.shows === undefined ? undefined : argumentList(look.shows, texts),
      this.#root?.element,
      this.#reason && make("div", { part: "field", class: "field" }, make("label", { part: "label", for: reasonId }, texts.reason), this.#reason),
      make("div", { part: "actions", class: "actions" }, cancel, this.#submit),
      this.#status,
    );
    const described = words ? message : undefined;
    this.#dialog = make("dialog", { part: "dialog", role: look.alert ? "alertdialog" : undefined, "aria-modal": "true", "aria-labelledby": title, "aria-describedby": described, "data-theme": themeOf(options.theme), dir: directionOf() }, this.#form);
    cancel?.addEventListener("click", () => this.#decline());
    this.over = new Promise((resolve) => this.#open(options.parent ?? document.documentElement, resolve));
    this.#focusFirst(look.first);
    if (question.kind === "approval") this.#hold();
  }

  /** A click or a key that was meant for the page, in the moment before, must not allow a call. */
  #hold(): void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hold = (): void => {
      this.#submit.disabled = true;
      clearTimeout(timer);
      timer = setTimeout(() => (this.#submit.disabled = false), HELD);
    };
    hold();
    // Whoever comes back to the page sees it then.
    document.addEventListener("visibilitychange", hold, { signal: this.#question.signal });
  }

  #id(): string {
    return `pagehand-${(ids += 1)}`;
  }

  #build(field: ReturnType<typeof fieldOf>, initial: unknown, title: string): Control {
    const sheet: Sheet = {
      texts: this.#texts,
      id: () => this.#id(),
      say: (text) => (this.#status.textContent = text),
      changed: () => this.#changed(),
      parse: parsing,
      build: (inner, place) => build(sheet, inner, place),
    };
    return sheet.build(field, { required: true, initial, whole: field.kind === "group", label: field.label || title });
  }

  #open(parent: Node, resolve: () => void): void {
    const { signal } = this.#question;
    const root = this.#host.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [styles()];
    root.append(this.#dialog);
    parent.appendChild(this.#host);
    // Whatever takes the host out of the page takes the question with it: nobody could answer, and others wait.
    const watch = new MutationObserver(() => this.#dialog.isConnected || this.#question.decline("the question was removed from the page"));
    for (const place of [parent, document, root]) watch.observe(place, { childList: true });
    const close = (): void => {
      watch.disconnect();
      // First closed, then gone: closing is what gives the focus back.
      this.#dialog.close();
      this.#host.remove();
      resolve();
    };
    signal.addEventListener("abort", close, { once: true });
    this.#dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.#decline();
    });
    // A browser closes a dialog that does not want to be closed when it is told twice.
    this.#dialog.addEventListener("close", () => signal.aborted || this.#decline());
    this.#dialog.addEventListener("keydown", (event) => this.#key(event));
    for (const type of ["keyup", "keypress"]) this.#dialog.addEventListener(type, (event) => event.stopPropagation());
    for (const type of ["input", "change"]) this.#form.addEventListener(type, ({ target }) => this.#mended(target as Node));
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#send();
    });
    this.#dialog.showModal();
  }

  #focusFirst(first: "field" | "title" | "submit"): void {
    if (first === "submit") return this.#submit.focus();
    // What a browser focuses by itself, or nothing at all where no field takes the focus.
    this.#title.focus();
    if (first === "field") this.#root?.focus();
  }

  #decline(): void {
    this.#question.decline(this.#reason?.value);
  }

  #key(event: KeyboardEvent): void {
    // What is typed here must not reach the shortcuts of the page.
    event.stopPropagation();
    const target = event.target as HTMLElement;
    if (event.key === "Enter" && target === this.#reason) {
      // A reason is one for a no.
      event.preventDefault();
      if (!event.isComposing) this.#decline();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      // Many a page sends what is typed in it by this very key: in an approval it counts where something is filled in.
      if (!event.repeat && (this.#question.kind !== "approval" || target.matches("input, textarea, select"))) void this.#send();
    } else if (event.key === "Tab") this.#turn(event);
  }

  /** From the last thing that can be reached to the first, and back: the focus stays in. */
  #turn(event: KeyboardEvent): void {
    const all = [...this.#dialog.querySelectorAll<HTMLElement>("input, textarea, select, button, a[href], [tabindex='0']")].filter((one) => !(one as HTMLInputElement).disabled && one.getClientRects().length > 0);
    // Of radio buttons that belong together the chosen one alone is reached, or the first.
    const stops = all.filter((one) => !(one instanceof HTMLInputElement) || one.type !== "radio" || one.checked || !all.some((other) => other instanceof HTMLInputElement && other.name === one.name && other.checked));
    const active = (this.#host.shadowRoot as ShadowRoot).activeElement;
    const [first] = stops;
    const last = stops.at(-1);
    const radios = (one: Element | null | undefined, other: Element | null | undefined) =>
      one === other || (one instanceof HTMLInputElement && other instanceof HTMLInputElement && one.type === "radio" && one.name === other.name);
    if (event.shiftKey ? radios(active, first) || active === this.#title || active === this.#dialog : radios(active, last)) {
      event.preventDefault();
      (event.shiftKey ? last : first)?.focus();
    }
  }

  #changed(): void {
    if (!this.#root) return;
    const reading: Reading = { problems: [], draft: true };
    const value = this.#root.read(reading);
    if (value !== ABSENT) this.#question.keep(value);
  }

  async #send(): Promise<void> {
    if (this.#busy || this.#submit.disabled) return;
    const reading: Reading = { problems: [], draft: false };
    const value = this.#value(reading);
    if (reading.problems.length > 0) return this.#show(reading.problems);
    this.#busy = true;
    this.#form.setAttribute("aria-busy", "true");
    const late = setTimeout(() => (this.#status.textContent = this.#texts.checking), 500);
    const taken = await this.#question.answer(value);
    clearTimeout(late);
    this.#busy = false;
    this.#form.removeAttribute("aria-busy");
    this.#status.textContent = "";
    if (!taken.ok && taken.code !== "over") this.#show(this.#problemsOf(taken), taken.issues?.length ? undefined : taken.problem);
  }

  /** What is answered: the form's value, or a yes; an approval's values only where they are other ones. */
  #value(reading: Reading): unknown {
    const { kind, call, initial } = this.#question;
    if (!this.#root) return true;
    const value = readRequired({ texts: this.#texts } as Sheet, this.#root, reading);
    if (kind !== "approval") return value;
    return initial === undefined && same(value, call?.input) ? true : { input: value };
  }

  #problemsOf({ issues = [] }: Refused): Problem[] {
    const root = this.#root;
    if (!root) return [];
    return issues.map((issue) => {
      const control = root.find(issue.path.split("/").slice(1).map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~")));
      return { control, message: this.#wordsOf(issue, control) };
    });
  }

  /** People are told in their words what they can be told so; else in the validator's, without the place. */
  #wordsOf({ keyword, path, message }: Issue, { field }: Control): string {
    const { problems } = this.#texts;
    const key = keyword === "type" && field.kind === "number" ? (field.whole ? "integer" : "number") : keyword;
    const limit = field.keywords[keyword];
    const words = problems[key];
    if (words !== undefined && (!words.includes("{limit}") || limit !== undefined)) return fill(words, { limit });
    return message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message || (problems["other"] ?? "");
  }

  /** Says what is wrong beside the fields, and above them with ways to get there. */
  #show(problems: readonly Problem[], general?: string): void {
    for (const control of this.#flagged.keys()) control.flag(undefined);
    this.#flagged.clear();
    const byControl = new Map<Control, string[]>();
    for (const { control, message } of problems) byControl.set(control, [...(byControl.get(control) ?? []), message]);
    for (const [control, messages] of byControl) {
      control.flag([...new Set(messages)].join(" "));
    }
    const items = [...byControl].map(([control, messages]) => {
      const link = make("a", { part: "link", href: "#" }, [control.field.label || this.#title.textContent, messages.join(" ")].filter(Boolean).join(": "));
      link.addEventListener("click", (event) => {
        event.preventDefault();
        control.focus();
      });
      const line = make("li", {}, link);
      this.#flagged.set(control, line);
      return line;
    });
    const heading = this.#id();
    const words = general ?? fill(this.#texts.summary, { count: byControl.size });
    this.#heading = make("h3", { id: heading }, words);
    this.#summary.replaceChildren(this.#heading, ...(items.length ? [make("ul", {}, ...items)] : []));
    set(this.#summary, { "aria-labelledby": heading, hidden: false });
    this.#summary.focus();
  }

  /** What a person has changed is no longer wrong, as far as anybody knows before it is checked again. */
  #mended(target: Node): void {
    for (const [control, line] of this.#flagged) {
      if (!control.element.contains(target)) continue;
      control.flag(undefined);
      line.remove();
      this.#flagged.delete(control);
      if (this.#heading) this.#heading.textContent = fill(this.#texts.summary, { count: this.#flagged.size });
      this.#summary.hidden = this.#flagged.size === 0;
    }
  }
}

/** The page's own scheme, where it has one. */
function themeOf(theme: DialogOptions["theme"]): string {
  if (theme === "light" || theme === "dark") return theme;
  const scheme = getComputedStyle(document.documentElement).colorScheme.replace("only", "").trim();
  return scheme === "light" || scheme === "dark" ? scheme : "auto";
}

function directionOf(): string {
  return getComputedStyle(document.body ?? document.documentElement).direction;
}
