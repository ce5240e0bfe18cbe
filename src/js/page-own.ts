/**
 * What elements have of their own, whatever a page names its fields and frames: a form's field that is called
 * `parentNode` hides the form's own, and so do named elements in a document. Also what is known of elements beyond
 * that: which fields once were for passwords. Used by the WASM file's glue too.
 */

/** What an element has from its class under a name, whatever the instance itself was given. @internal */
export function inherited(el: object, key: PropertyKey): PropertyDescriptor | undefined {
  for (let at = Object.getPrototypeOf(el) as object | null; at; at = Object.getPrototypeOf(at) as object | null) {
    const found = Object.getOwnPropertyDescriptor(at, key);
    if (found) return found;
  }
  return undefined;
}

/** Reads a property or a method. Only forms and documents let names of the page come first. @internal */
export function own<Target extends object, Key extends keyof Target>(target: Target, key: Key): Target[Key] {
  const kind = (target as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag];
  if (kind !== "HTMLFormElement" && kind !== "HTMLDocument") return target[key];
  const found = inherited(target, key);
  return (found?.get ? found.get.call(target) : found?.value) as Target[Key];
}

/** @internal */
export const matches = (el: Element, selector: string): boolean => own(el, "matches").call(el, selector);

/** The fields of a form. @internal */
export const elementsOf = (form: HTMLFormElement): Iterable<Element> => own(form, "elements");

/** Fields that are for passwords or were: showing what is in them does not make it less secret. @internal */
export const passwords = new WeakSet<Element>();

let watched = false;

/** Notes from now on which fields cease to be for passwords. @internal */
export function watchPasswords(): void {
  if (watched) return;
  watched = true;
  const observer = new MutationObserver((records) => {
    for (const { oldValue, target } of records) if (/^password$/i.test(oldValue ?? "")) passwords.add(target as Element);
  });
  observer.observe(document, { subtree: true, attributes: true, attributeFilter: ["type"], attributeOldValue: true });
}
