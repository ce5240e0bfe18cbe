/**
 * The conversation pane: bubbles and steps. It draws what it is told, in the order it is told;
 * everything goes in as text. It never decides what is said and never talks to the engine.
 */
import { byId, el } from "../dom.js";

export class Conversation {
  #log = byId("log");
  #bubbles = new Map();
  #steps = new Map();

  #add(element) {
    const nearEnd = this.#log.scrollHeight - this.#log.scrollTop - this.#log.clientHeight < 140;
    this.#log.append(element);
    if (nearEnd) this.toEnd();
    return element;
  }

  toEnd() {
    this.#log.scrollTop = this.#log.scrollHeight;
  }

  say(role, text) {
    this.#add(el("div", { class: `bubble ${role}` }, text));
    this.toEnd();
  }

  /** Appends to the assistant's message of that id, which is made if there is none. */
  stream(id, delta) {
    let bubble = this.#bubbles.get(id);
    if (!bubble) {
      // Quiet while it grows, so that a screen reader hears the whole message once, when it is done.
      bubble = this.#add(el("div", { class: "bubble assistant streaming", "aria-busy": "true" }));
      this.#bubbles.set(id, bubble);
    }
    bubble.append(delta);
    this.toEnd();
  }

  /** The message is whole: what was streamed gives way to what is recorded. */
  finish(id, text) {
    const bubble = this.#bubbles.get(id);
    if (bubble) {
      bubble.classList.remove("streaming");
      bubble.removeAttribute("aria-busy");
      if (text && bubble.textContent !== text) bubble.textContent = text;
    } else if (text) this.say("assistant", text);
    this.#bubbles.delete(id);
  }

  /** Nothing streams any more; what broke off stays as it is. */
  settle() {
    for (const id of [...this.#bubbles.keys()]) this.finish(id, "");
  }

  /** One line for a tool in use. */
  step(key, text, tone) {
    const known = this.#steps.get(key);
    const step = known ?? this.#add(el("div", { class: "step" }));
    this.#steps.set(key, step);
    step.dataset.tone = tone;
    if (step.textContent !== text) step.textContent = text;
  }
}
