/**
 * One key down and up, and what a browser does for it where the page does not say otherwise: writing, deleting, moving
 * the focus, pressing buttons, sending forms, moving through choices.
 */
import type { Chord } from "./page-chord.js";
import { active, chain, fire, focus, isDisabled, plainClick } from "./page-events.js";
import { elementsOf, matches, own } from "./page-own.js";

const kindOf = (el: Element) => (el.localName === "input" || el.localName === "button" ? (el as HTMLInputElement).type : el.localName);
const isEditor = (el: Element) => (el as HTMLElement).isContentEditable;
const isButton = (el: Element) => /^(submit|button|reset|image|color|summary)$/.test(kindOf(el));

function isText(el: Element): boolean {
  const field = /^(text|search|url|tel|email|password|number|textarea)$/.test(kindOf(el)) || isEditor(el);
  return field && !(el as HTMLInputElement).readOnly && !isDisabled(el);
}

/** An editing command of the browser on what is selected, as its menus give it. */
const command = (el: Element, name: string, value = "") => el.ownerDocument.execCommand(name, false, value);

const inputTypes: Record<string, string> = { delete: "deleteContentBackward", forwardDelete: "deleteContentForward" };

/**
 * Edits at the selection as a keyboard does: the page is asked first, and may do it itself. The browser asks nobody
 * when a script gives the command. @internal
 */
export function edit(el: Element, name: string, value = ""): void {
  if (fire(el, "InputEvent", "beforeinput", { inputType: inputTypes[name] ?? name, data: value || null })) command(el, name, value);
}

/** Presses a key once. `root` is the part of the page that Tab goes through. @internal */
export function stroke(at: Element, chord: Chord, root: Element): void {
  const writes = [...chord.key].length === 1 && !chord.ctrlKey && !chord.metaKey && !chord.altKey;
  const event = (el: Element, type: string, code = chord.keyCode) => fire(el, "KeyboardEvent", type, { ...chord, keyCode: code, which: code });
  let going = event(at, "keydown");
  if (going && (writes || chord.key === "Enter")) going = event(at, "keypress", chord.key === "Enter" ? 13 : chord.key.codePointAt(0));
  const space = chord.key === " " && !isText(at);
  if (going && !space) {
    if (!writes) act(at, chord, root);
    else if (isText(at)) edit(at, "insertText", chord.key);
  }
  const up = event(active() ?? at, "keyup");
  // Space presses when it is let go.
  if (going && up && space && (isButton(at) || /^(checkbox|radio)$/.test(kindOf(at)))) plainClick(at);
}

function act(at: Element, { key, ctrlKey, metaKey, altKey, shiftKey }: Chord, root: Element): void {
  const held = ctrlKey || metaKey;
  if (held && key.toLowerCase() === "a" && isText(at)) command(at, "selectAll");
  if (held || altKey) return;
  if (key === "Tab") moveOn(at, shiftKey, root);
  else if (key === "Enter") enter(at);
  else if (key === "Backspace" && isText(at)) edit(at, "delete");
  else if (key === "Delete" && isText(at)) edit(at, "forwardDelete");
  else if (key === "Escape") {
    const dialog = chain(at).find((el): el is HTMLDialogElement => matches(el, "dialog:modal"));
    if (dialog && fire(dialog, "Event", "cancel", { bubbles: false })) dialog.close();
  } else if (key.startsWith("Arrow")) arrow(at, key);
}

/** What sends the form of a field when Enter is pressed in it: its first button, or nothing but the form itself. */
function senderOf(at: Element): HTMLElement | null {
  const { form } = at as HTMLInputElement;
  return (form && ([...elementsOf(form)].find((el) => /^(submit|image)$/.test((el as HTMLInputElement).type)) as HTMLElement | undefined)) ?? form;
}

/** The radio button that an arrow leads to. */
function nextOf(at: HTMLInputElement, key: string): HTMLInputElement | undefined {
  const { name, form } = at;
  const root = at.getRootNode() as Document;
  const group = [...root.querySelectorAll<HTMLInputElement>("input[type=radio]")].filter((one) => one.name === name && one.form === form && !isDisabled(one));
  return group.at((group.indexOf(at) + (key === "ArrowDown" || key === "ArrowRight" ? 1 : -1)) % group.length);
}

/** What a key would press, choose or send beside the element that hears it. @internal */
export function leadsTo(at: Element, { key }: Chord): Element | null | undefined {
  if (key === "Enter" && at.localName === "input" && !isButton(at)) return senderOf(at);
  return key.startsWith("Arrow") && kindOf(at) === "radio" ? nextOf(at as HTMLInputElement, key) : undefined;
}

function enter(at: Element): void {
  if (isButton(at) || at.matches("a[href], area[href]")) plainClick(at);
  else if (at.localName === "textarea" || isEditor(at)) edit(at, "insertParagraph");
  else if (at.localName === "input") {
    const sender = senderOf(at);
    if (sender && own(sender, "localName") !== "form") plainClick(sender);
    else if (sender) own(sender as HTMLFormElement, "requestSubmit").call(sender);
  }
}

const changed = (el: Element) => {
  fire(el, "Event", "input", { cancelable: false });
  fire(el, "Event", "change", { cancelable: false, composed: false });
};

/** Moves through what one control or group offers. */
function arrow(at: Element, key: string): void {
  const forward = key === "ArrowDown" || key === "ArrowRight";
  const kind = kindOf(at);
  if (kind === "number" || kind === "range") {
    const field = at as HTMLInputElement;
    const before = field.value;
    if (key === "ArrowUp" || (key === "ArrowRight" && kind === "range")) field.stepUp();
    else if (key === "ArrowDown" || kind === "range") field.stepDown();
    if (field.value !== before) changed(field);
  } else if (kind === "radio") {
    const next = nextOf(at as HTMLInputElement, key);
    if (next) {
      focus(next);
      plainClick(next);
    }
  } else if (kind === "select") {
    const list = at as HTMLSelectElement;
    const open = [...list.options].filter((one) => !isDisabled(one));
    const next = open[open.findIndex((one) => one.selected) + (forward ? 1 : -1)];
    if (next) {
      list.selectedIndex = next.index;
      changed(list);
    }
  }
}

/** Moves the focus to the next element that takes it, in the order of the page. */
function moveOn(at: Element, back: boolean, root: Element): void {
  const stops: Element[] = [];
  collect(chain(at).find((el) => matches(el, "dialog:modal")) ?? root, stops);
  const place = stops.indexOf(at);
  const next = place < 0 ? stops.at(back ? -1 : 0) : stops.at((place + (back ? -1 : 1)) % stops.length);
  if (!next) return;
  focus(next);
  if (next.localName === "input") (next as HTMLInputElement).select();
}

function collect(el: Element, stops: Element[]): void {
  const has = (name: string) => own(el, "hasAttribute").call(el, name);
  if (has("inert")) return;
  const tabIndex = own(el as HTMLElement, "tabIndex");
  // The browser gives editors no index of their own, but a place in the order.
  const stop = tabIndex >= 0 || (has("contenteditable") && isEditor(el) && !has("tabindex"));
  if (stop && !isDisabled(el) && el.checkVisibility({ visibilityProperty: true }) && el.localName !== "iframe") stops.push(el);
  const assigned = el.localName === "slot" ? (el as HTMLSlotElement).assignedElements({ flatten: true }) : [];
  const frame = (el as HTMLIFrameElement).contentDocument?.documentElement;
  const inner = frame ? [frame] : assigned.length ? assigned : own(own(el, "shadowRoot") ?? el, "children");
  for (const child of inner) collect(child, stops);
}
