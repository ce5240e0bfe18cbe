/**
 * Leaving the page after the answer: a link or a form that would load another page is held back until the call's answer
 * is on its way, because the navigation would take the answer along. The page's own listeners come first: what they
 * prevent, or do themselves, is theirs.
 */
import { viewOf } from "./page-events.js";
import { own } from "./page-own.js";

/** Where the page goes, once it may. @internal */
export interface Leaving {
  readonly note: string;
  go(): void;
}

/** Does something to an element and gives what it would have left the page by. @internal */
export function holding(el: Element, act: () => void): Leaving | undefined {
  const view = viewOf(el);
  let found: Leaving | undefined;
  const listener = (event: Event) => {
    if (event.defaultPrevented) return;
    const leaving = event.type === "submit" ? byForm(event as SubmitEvent) : byLink(event, view);
    if (!leaving) return;
    event.preventDefault();
    found = leaving;
  };
  // At the window, so that every listener of the page was asked.
  for (const type of ["click", "submit"]) view.addEventListener(type, listener);
  try {
    act();
  } finally {
    for (const type of ["click", "submit"]) view.removeEventListener(type, listener);
  }
  return found;
}

/** Whether it opens in another window or frame, and this page stays. */
const isElsewhere = (target: string | null | undefined) => Boolean(target) && !/^_(self|top|parent)$/i.test(target ?? "");

function byLink(event: Event, { location }: Window): Leaving | undefined {
  const link = event.composedPath().find((one): one is HTMLAnchorElement => /^(a|area)$/.test((one as Element).localName ?? "") && (one as Element).hasAttribute("href"));
  if (!link || !/^https?:$/.test(link.protocol) || link.hasAttribute("download") || isElsewhere(link.target)) return undefined;
  const here = link.hash !== "" && link.href.split("#")[0] === location.href.split("#")[0];
  if (here) return undefined;
  return {
    note: `the page goes to ${link.origin}${link.pathname} now`,
    go: () => {
      // A copy that no listener of the page knows: they have heard of this click already.
      const copy = link.ownerDocument.createElement("a");
      for (const name of ["href", "rel", "referrerpolicy", "target"]) {
        const value = link.getAttribute(name);
        if (value !== null) copy.setAttribute(name, value);
      }
      copy.click();
    },
  };
}

function byForm(event: SubmitEvent): Leaving | undefined {
  const form = event.target as HTMLFormElement;
  const { submitter } = event;
  const get = (name: string) => own(form, "getAttribute").call(form, name);
  const set = (name: string, value: string) => own(form, "setAttribute").call(form, name, value);
  const setting = (name: string) => submitter?.getAttribute(`form${name}`) ?? get(name);
  if (/^dialog$/i.test(setting("method") ?? "") || isElsewhere(setting("target"))) return undefined;
  return {
    note: "the form is being sent and the page goes on to what it leads to",
    go: () => {
      const before = ["action", "method", "enctype", "target"].map((name) => [name, get(name), setting(name)] as const);
      for (const [name, , value] of before) if (value !== null) set(name, value);
      const field = own(form, "ownerDocument").createElement("input");
      const name = submitter?.getAttribute("name");
      if (name) {
        Object.assign(field, { type: "hidden", name, value: (submitter as HTMLButtonElement).value });
        own(form, "append").call(form, field);
      }
      own(form, "submit").call(form);
      field.remove();
      for (const [key, value] of before) value === null ? own(form, "removeAttribute").call(form, key) : set(key, value);
    },
  };
}
