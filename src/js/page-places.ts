/**
 * Where elements are: the point at which a pointer would hit one, what it would hit instead, and how far things scroll.
 * Measures alone; whether something may be done is for the page tools to say.
 */
import { chain, viewOf } from "./page-events.js";
import { matches, own } from "./page-own.js";

/** A point of an element and what is hit there, or what is hit instead (nothing where nothing is). @internal */
export type Spot = { x: number; y: number; hit: Element } | { cover: Element | undefined; boxes: number };

/** Shares of a box that are tried, the middle first. */
const shares = [[0.5, 0.5], [0.25, 0.25], [0.75, 0.75], [0.25, 0.75], [0.75, 0.25], [0.1, 0.5], [0.9, 0.5]] as const;
const MOST_BOXES = 4;

/** Looks for a point where an element is hit. @internal */
export function spotOf(el: Element): Spot {
  const boxes = [...own(el, "getClientRects").call(el)].filter(({ width, height }) => width > 0 && height > 0).slice(0, MOST_BOXES);
  let cover: Element | undefined;
  for (const box of boxes) {
    for (const [along, down] of shares) {
      const [x, y] = [box.x + box.width * along, box.y + box.height * down];
      const hit = innermost(own(el, "ownerDocument"), x, y);
      if (!hit) continue;
      const over = isOf(el, hit) ? coverOfFrames(el, x, y) : hit;
      if (over === undefined) return { x, y, hit };
      cover ??= over ?? undefined;
    }
  }
  return { cover, boxes: boxes.length };
}

/** The innermost element at a point, through open shadow roots. */
function innermost(document: Document, x: number, y: number): Element | null {
  let found = own(document, "elementFromPoint").call(document, x, y);
  for (;;) {
    const inner: Element | null | undefined = found && own(found, "shadowRoot")?.elementFromPoint(x, y);
    if (!inner || inner === found) return found;
    found = inner;
  }
}

/** Whether a click on the second is one on the first: it is in it, or in its label. */
function isOf(el: Element, hit: Element): boolean {
  const around = chain(hit);
  return around.includes(el) || around.find((one): one is HTMLLabelElement => own(one, "localName") === "label")?.control === el;
}

/** What covers a point of a frame's element in the documents around it; null outside the window, undefined for nothing. */
function coverOfFrames(el: Element, x: number, y: number): Element | null | undefined {
  const frame = viewOf(el).frameElement;
  if (!frame) return undefined;
  const box = frame.getBoundingClientRect();
  const [left, top] = [x + box.x + frame.clientLeft, y + box.y + frame.clientTop];
  const hit = innermost(frame.ownerDocument, left, top);
  return hit === frame ? coverOfFrames(frame, left, top) : hit;
}

/** Which page it is and what of it is in the window. Queries may hold secrets and are left out. @internal */
export function where(): { title: string; address: string; scrolled: string } {
  const { origin, pathname, search, hash } = location;
  const route = /^#[/!]/.test(hash) ? hash.split("?")[0] : "";
  return {
    title: document.title,
    address: `${origin}${pathname}${search && "?…"}${route}`,
    scrolled: `(scrolled to ${Math.round(scrollY)} of ${document.documentElement.scrollHeight}, window ${innerHeight})`,
  };
}

const ROW = "tr, li, article, [role=row], [role=listitem], [role=article], [role=treeitem]";
const ROW_START = 32;

/** How the row begins that an element is in: by that one row is told from another whose buttons have the same names. @internal */
export function rowOf(el: Element): string {
  const row = chain(el).find((one) => matches(one, ROW));
  if (!row) return "";
  const texts = row.ownerDocument.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  let start = "";
  while (start.length < ROW_START && texts.nextNode()) start += (texts.currentNode.nodeValue ?? "").trim();
  return start.slice(0, ROW_START);
}

/** Scrolls what an element is in, or the page, by parts of a window. Says where it is then. @internal */
export function scrollBy(el: Element | undefined, direction: string, pages: number): () => string {
  const sideways = direction === "left" || direction === "right";
  const sign = direction === "down" || direction === "right" ? 1 : -1;
  const scrolls = (at: Element) =>
    (sideways ? at.scrollWidth > at.clientWidth : at.scrollHeight > at.clientHeight) &&
    /auto|scroll/.test(getComputedStyle(at)[sideways ? "overflowX" : "overflowY"]);
  const document = el?.ownerDocument ?? globalThis.document;
  const scroller = chain(el ?? null).find(scrolls) ?? document.scrollingElement ?? document.documentElement;
  const by = sign * pages * (sideways ? scroller.clientWidth : scroller.clientHeight);
  scroller.scrollBy({ [sideways ? "left" : "top"]: by, behavior: "instant" });
  return () => {
    const at = Math.round(sideways ? scroller.scrollLeft : scroller.scrollTop);
    const end = sideways ? scroller.scrollWidth - scroller.clientWidth : scroller.scrollHeight - scroller.clientHeight;
    return `at ${at} of ${end}${at <= 0 ? " (the start)" : at >= end - 1 ? " (the end)" : ""}`;
  };
}
