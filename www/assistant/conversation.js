/**
 * The conversation pane: bubbles, steps, questions. It draws what it is told, in the order it is told;
 * everything goes in as text. It never decides what is said and never talks to the engine.
 */
import { byId, el } from "../dom.js";

export class Conversation {
  #log = byId("log");
  #bubbles = new Map();
  #steps = new Map();
  #withdraw = () => {};

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

  /** Asks yes or no in place; the promise ends with the click, or with the signal as a no. */
  ask({ title, text, yes, no }, signal) {
    let resolve;
    const promise = new Promise((settle) => (resolve = settle));
    const answer = (value, words) => {
      if (card.dataset.answer) return;
      card.dataset.answer = value ? "yes" : "no";
      const held = card.contains(document.activeElement);
      buttons.replaceChildren(el("b", {}, words));
      if (held) byId("composer-text").focus();
      resolve(value);
    };
    const buttons = el(
      "div",
      {},
      el("button", { class: "button main", type: "button", "data-answer": "yes", onclick: () => answer(true, `You said: ${yes}`) }, yes),
      el("button", { class: "button", type: "button", "data-answer": "no", onclick: () => answer(false, `You said: ${no}`) }, no),
    );
    const id = `question-${this.#log.childElementCount}`;
    const card = el("section", { class: "question", role: "group", "aria-labelledby": id }, el("h3", { id }, title), el("p", {}, text), buttons);
    this.#add(card);
    this.toEnd();
    // The question goes where the keyboard is, unless somebody is in the middle of typing.
    const typing = document.activeElement?.matches?.("input:not(:placeholder-shown), select");
    if (!typing) buttons.firstElementChild.focus({ preventScroll: true });
    this.#withdraw = () => answer(false, "Withdrawn");
    signal?.addEventListener("abort", this.#withdraw, { once: true });
    return promise;
  }

  /** Takes an open question back: whoever writes instead of answering has not said yes. */
  withdraw() {
    this.#withdraw();
  }
}
