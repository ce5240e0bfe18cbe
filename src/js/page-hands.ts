/**
 * What the page tools have the page's own JavaScript do: fire events, write, mark, watch. Each of these is a handful of
 * calls to the browser that would be many times their size on the other side. Nothing here chooses an element or says
 * whether something may be done.
 */
import { active, clickAt, fire, focus, moveTo, viewOf } from "./page-events.js";
import { type Chord, readKey } from "./page-chord.js";
import { edit, leadsTo, stroke } from "./page-keys.js";
import { type Leaving, holding } from "./page-leave.js";
import { elementsOf, inherited, own, passwords } from "./page-own.js";
import { rowOf, scrollBy, spotOf, where } from "./page-places.js";

/** What changes on the page, from the moment it was made. @internal */
export interface Watch {
  /** Whether anything changed. */
  saw(): boolean;
  /** How long nothing has changed, in milliseconds. */
  quiet(): number;
  stop(): void;
}

function put(el: Element, key: string, value: unknown): void {
  const setter = inherited(el, key)?.set;
  if (setter) setter.call(el, value);
  else (el as unknown as Record<string, unknown>)[key] = value;
}

const tellInput = (el: Element, inputType: string, data: string | null) => fire(el, "InputEvent", "input", { cancelable: false, inputType, data });
const tellChange = (el: Element) => fire(el, "Event", "change", { cancelable: false, composed: false });

/** @internal */
export const pageHands = {
  active,
  focus,
  moveTo,
  edit,
  where,
  rowOf,
  spotOf,
  scrollBy,
  leadsTo,
  readKey,
  passwords,

  /** Clicks; gives what the page is left by, if it is. */
  click: (el: Element, hit: Element, x: number, y: number, button: number, count: number): Leaving | undefined =>
    holding(el, () => clickAt(el, hit, x, y, button, count)),

  /** Presses a key. */
  press: (at: Element, chord: Chord, root: Element): Leaving | undefined => holding(at, () => stroke(at, chord, root)),

  /** The form that an element is or is in, the button that sends it, and the fields that the browser finds invalid. */
  formOf(el: Element): { form: Element; button: Element | undefined; invalid: Element[] } | undefined {
    const form = own(el, "localName") === "form" ? (el as HTMLFormElement) : ((el as HTMLInputElement).form ?? el.closest("form"));
    if (!form) return undefined;
    const fields = [...elementsOf(form)] as HTMLInputElement[];
    const sends = (one: Element) => /^(submit|image)$/.test((one as HTMLInputElement).type);
    const button = sends(el) ? el : fields.find(sends);
    const unchecked = own(form, "hasAttribute").call(form, "novalidate") || button?.hasAttribute("formnovalidate");
    return { form, button, invalid: unchecked ? [] : fields.filter((one) => one.willValidate && !one.validity.valid) };
  },

  /** Sends a form as a button would. */
  submit: (form: Element, button: Element | undefined): Leaving | undefined =>
    holding(form, () => own(form as HTMLFormElement, "requestSubmit").call(form, button as HTMLElement | undefined)),

  /** What a field of the same kind that is not on the page would make of a value. */
  trial(el: Element, value: string): string {
    const copy = el.cloneNode() as HTMLInputElement;
    put(copy, "value", value);
    return copy.value;
  },

  /** Writes into a native field with the events of typing or of choosing. */
  write(el: Element, value: string): void {
    const field = el as HTMLInputElement;
    const typed = !/^(date|time|datetime-local|month|week|color|range)$/.test(field.type);
    const inputType = value ? "insertText" : "deleteContentBackward";
    if (typed) {
      field.select();
      if (!fire(el, "InputEvent", "beforeinput", { inputType, data: value || null })) return;
    }
    put(el, "value", value);
    tellInput(el, inputType, (typed && value) || null);
    tellChange(el);
  },

  /** Chooses the options of a native list at some places, and no others. */
  choose(list: Element, places: readonly number[]): void {
    [...(list as HTMLSelectElement).options].forEach((option, place) => {
      const on = places.includes(place);
      if (option.selected !== on) put(option, "selected", on);
    });
    fire(list, "Event", "input", { cancelable: false });
    tellChange(list);
  },

  /** Selects all that is in an editor. */
  selectAll: (el: Element) => el.ownerDocument.getSelection()?.selectAllChildren(el),

  paste(el: Element, text: string): void {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    fire(el, "ClipboardEvent", "paste", { clipboardData });
  },

  /** Draws a frame around an element that takes no clicks, for some seconds. */
  mark(el: Element, attribute: string, seconds: number): void {
    const view = viewOf(el);
    const { x, y, width, height } = el.getBoundingClientRect();
    const mark = el.ownerDocument.createElement("div");
    mark.setAttribute(attribute, "");
    mark.ariaHidden = "true";
    const rules = {
      position: "absolute",
      left: `${x + view.scrollX - 4}px`,
      top: `${y + view.scrollY - 4}px`,
      width: `${width + 8}px`,
      height: `${height + 8}px`,
      "box-sizing": "border-box",
      border: "3px solid #d6006c",
      "border-radius": "6px",
      "box-shadow": "0 0 0 3px #fff",
      "pointer-events": "none",
      "z-index": "2147483647",
    };
    for (const [name, value] of Object.entries(rules)) mark.style.setProperty(name, value, "important");
    el.ownerDocument.documentElement.append(mark);
    setTimeout(() => mark.remove(), seconds * 1_000);
  },

  /** Watches elements that come and go, and all else too where `closely`. */
  watch(root: Element, closely: boolean): Watch {
    let last: number | undefined;
    const since = performance.now();
    const observer = new MutationObserver(() => {
      last = performance.now();
    });
    observer.observe(root, { childList: true, subtree: true, characterData: closely, attributes: closely });
    return {
      saw: () => last !== undefined || observer.takeRecords().length > 0,
      quiet: () => performance.now() - (last ?? since),
      stop: () => observer.disconnect(),
    };
  },

  /**
   * How to go to an address of this site, back, forward, or to load the page again; a sentence where it is none. An
   * address elsewhere may carry what the page knows to somebody else, and a script is no address at all.
   */
  route(to: string): (() => void) | string {
    if (to === "back" || to === "forward") return () => history[to]();
    if (to === "reload") return () => location.reload();
    const url = URL.canParse(to, document.baseURI) ? new URL(to, document.baseURI) : undefined;
    if (url?.origin !== location.origin || !/^https?:$/.test(url.protocol)) return `is not an address of this site (${location.origin}): only those can be gone to`;
    return () => location.assign(url.href);
  },
};

/** @internal */
export type PageHands = typeof pageHands;
