/**
 * Elements without HTML strings: `el("p", { class: "note" }, "text", child)`.
 * Strings always become text nodes, so nothing that the model or the engine wrote can become markup.
 */
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const byId = (id) => document.getElementById(id);

/** Lets an element glow for a moment, to show that it was changed by the assistant. */
export function touch(element) {
  element.classList.remove("touched");
  void element.offsetWidth;
  element.classList.add("touched");
  element.addEventListener("animationend", () => element.classList.remove("touched"), { once: true });
}
