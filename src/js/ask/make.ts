/**
 * Makes elements without any HTML text: nothing here is a sink that a policy could refuse or a value could break.
 */

/** An attribute's value; `true` is there without one, `false` and `undefined` are not there. */
export type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/** Makes an element. Texts become text nodes. */
export function make<Name extends keyof HTMLElementTagNameMap>(name: Name, attributes: Attributes = {}, ...children: (Node | string | undefined)[]): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  set(element, attributes);
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

/** Sets attributes and takes others away. */
export function set(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : value);
  }
}
