/**
 * The events of a person's hands, as a browser fires them: of the classes of the element's own window, in their order,
 * with the focus, crossing shadow roots. It decides nothing: what is clicked, and whether, comes from the page tools.
 */
import { matches, own } from "./page-own.js";

/** Which window an element is in. @internal */
export function viewOf(el: Element): Window {
  return own(own(el, "ownerDocument"), "defaultView") ?? window;
}

type Kind = "Event" | "InputEvent" | "MouseEvent" | "PointerEvent" | "KeyboardEvent" | "ClipboardEvent";

/** Fires an event. False if the page prevented what would follow it. @internal */
export function fire(el: Element, kind: Kind, type: string, init: object = {}): boolean {
  const view = viewOf(el);
  const Made = (view as unknown as Record<Kind, new (type: string, init: object) => Event>)[kind];
  return own(el, "dispatchEvent").call(el, new Made(type, { bubbles: true, cancelable: true, composed: true, view, ...init }));
}

/** The element around another as it is shown, in the same document. @internal */
export function around(el: Element): Element | null {
  const above = own(el, "parentNode") as ShadowRoot | null;
  return own(el, "assignedSlot") ?? own(el, "parentElement") ?? above?.host ?? null;
}

/** An element and all around it, the innermost first. @internal */
export function chain(el: Element | null): Element[] {
  const out: Element[] = [];
  for (let at = el; at; at = around(at)) out.push(at);
  return out;
}

/** Whether a person's key or click would do nothing. @internal */
export function isDisabled(el: Element): boolean {
  return matches(el, ":disabled");
}

/** Focuses without scrolling. @internal */
export function focus(el: Element): void {
  own(el as HTMLElement, "focus").call(el, { preventScroll: true });
}

/** What has the focus, through shadow roots and frames. @internal */
export function active(): Element | null {
  let at = own(document, "activeElement");
  for (;;) {
    const inner: Element | null | undefined = (at && own(at, "shadowRoot")?.activeElement) ?? (at as HTMLIFrameElement | null)?.contentDocument?.activeElement;
    if (!inner) return at;
    at = inner;
  }
}

/** Where a mouse is and what is pressed. */
interface Mouse {
  x: number;
  y: number;
  button: number;
  detail: number;
}

function mouse(el: Element, type: string, at: Mouse, down = false, relatedTarget: Element | null = null): boolean {
  const pointer = /^pointer|^(click|auxclick|contextmenu)$/.test(type);
  const quiet = /enter$|leave$/.test(type);
  const { screenX, screenY } = viewOf(el);
  return fire(el, pointer ? "PointerEvent" : "MouseEvent", type, {
    clientX: at.x,
    clientY: at.y,
    screenX: screenX + at.x,
    screenY: screenY + at.y,
    button: /^pointer(move|over|out|enter|leave)/.test(type) ? -1 : at.button,
    buttons: down ? ([1, 4, 2][at.button] ?? 1) : 0,
    detail: type.startsWith("pointer") ? 0 : at.detail,
    relatedTarget,
    ...(quiet ? { bubbles: false, cancelable: false } : {}),
    ...(pointer ? { pointerId: 1, pointerType: "mouse", isPrimary: true } : {}),
  });
}

let hovered: WeakRef<Element> | undefined;

/** Moves the pointer over a point, out of what it was over before. @internal */
export function moveTo(over: Element, x: number, y: number): void {
  const at = { x, y, button: 0, detail: 0 };
  const last = hovered?.deref();
  const before = last?.isConnected ? last : null;
  hovered = new WeakRef(over);
  if (before !== over) {
    const left = chain(before);
    const entered = chain(over);
    if (before) {
      for (const type of ["pointer", "mouse"]) {
        mouse(before, `${type}out`, at, false, over);
        for (const el of left) if (!entered.includes(el)) mouse(el, `${type}leave`, at, false, over);
      }
    }
    for (const type of ["pointer", "mouse"]) {
      mouse(over, `${type}over`, at, false, before);
      for (const el of entered.filter((one) => !left.includes(one)).reverse()) mouse(el, `${type}enter`, at, false, before);
    }
  }
  mouse(over, "pointermove", at);
  mouse(over, "mousemove", at);
}

/** Clicks at a point: the innermost element there is given beside the one that is meant. @internal */
export function clickAt(el: Element, hit: Element, x: number, y: number, button: number, count: number): void {
  moveTo(hit, x, y);
  for (let detail = 1; detail <= count && own(el, "isConnected"); detail += 1) oneClick(el, hit, { x, y, button, detail });
}

/** What is under the pointer now, as far as it still has to do with what was meant: listeners may have rebuilt it. */
function under(el: Element, hit: Element, at: Mouse): Element {
  if (own(hit, "isConnected")) return hit;
  const found = el.ownerDocument.elementFromPoint(at.x, at.y);
  return found && chain(found).includes(el) ? found : el;
}

function oneClick(el: Element, hit: Element, at: Mouse): void {
  const pressed = under(el, hit, at);
  const compatible = mouse(pressed, "pointerdown", at, true);
  if (!compatible || mouse(pressed, "mousedown", at, true)) moveFocus(pressed);
  if (at.button === 2) mouse(pressed, "contextmenu", at, true);
  const released = under(el, hit, at);
  mouse(released, "pointerup", at);
  if (compatible) mouse(released, "mouseup", at);
  // A click is of the innermost element that was both pressed and released.
  const clicked = own(pressed, "isConnected") ? chain(pressed).find((one) => chain(released).includes(one)) : released;
  if (!clicked || !own(clicked, "isConnected") || isDisabled(clicked)) return;
  mouse(clicked, at.button === 0 ? "click" : "auxclick", at);
  if (at.button === 0 && at.detail === 2) mouse(clicked, "dblclick", at);
}

/** Moves the focus as pressing a mouse button does. */
function moveFocus(pressed: Element): void {
  const taker = chain(pressed).find((one) => (own(one as HTMLElement, "tabIndex") >= 0 || own(one, "hasAttribute").call(one, "tabindex")) && !isDisabled(one));
  if (taker) focus(taker);
  else (pressed.ownerDocument.activeElement as HTMLElement | null)?.blur();
}

/** A click without a mouse, as keys make it. @internal */
export function plainClick(el: Element): void {
  if (!isDisabled(el)) mouse(el, "click", { x: 0, y: 0, button: 0, detail: 0 });
}
