/**
 * The demo's one place where things meet: shop, runtime, conversation and list of calls.
 * It wires events to drawings and clicks to `send`; it holds no state of calls of its own.
 */
import { createRuntime } from "/pkg/index.js";
import { askingTools } from "./assistant/asking-tools.js";
import { CallList } from "./assistant/calls.js";
import { Conversation } from "./assistant/conversation.js";
import { pageHands } from "./assistant/page-hands.js";
import { shopTools } from "./assistant/tools.js";
import { markWire, wireOf } from "./assistant/wire.js";
import { byId, el } from "./dom.js";
import { Shop } from "./shop/store.js";
import { drawShop } from "./shop/view.js";

const suggestions = [
  "What is in my basket?",
  "Add two tins of Smoke Signal",
  "Where am I, and how fast can you deliver?",
  "Ship it to Ana in Lisbon",
  "Send it to Bruno in Porto instead",
  "Type my own address in by hand",
  "Press the plus next to Morning Fog",
  "Try the coupon SUMMER25",
  "Then use HARBOR10",
  "Add a gift note",
  "Review Morning Fog for me",
  "What do you know about my screen?",
  "Place my order",
];

const connectionWords = {
  idle: "Ready",
  connecting: "Connecting",
  "catching-up": "Catching up",
  open: "Live",
  waiting: "Reconnecting",
  stopped: "Disconnected",
};

const shop = new Shop();
const talk = new Conversation();
const calls = new CallList();
const shopOwn = [...shopTools(shop), ...askingTools(shop)];
const tools = new Map(shopOwn.map((tool) => [tool.name, tool]));
/** Names of the tools that use the page as a person does. */
const handNames = new Set();

/** What a tool does, for people; where only its arguments say it, and for one the shop does not have, its name. */
function titleOf(name) {
  const action = tools.get(name)?.action;
  return typeof action === "string" ? action : name.replaceAll("_", " ").replace(/^./, (letter) => letter.toUpperCase());
}

function showView(view) {
  document.body.dataset.view = view;
  for (const button of document.querySelectorAll(".tabs button")) {
    if (button.dataset.view === view) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  }
  if (view === "assistant") byId("assistant-badge").hidden = true;
  talk.toEnd();
}

function showConnection({ state, hint, code }) {
  const pill = byId("connection");
  pill.dataset.state = state;
  pill.querySelector("[data-text]").textContent = connectionWords[state] ?? state;
  pill.title = [code, hint].filter(Boolean).join(": ");
  byId("retry").hidden = state !== "stopped" || !globalThis.demo;
}

let held = null;

/** A small screen shows one part of the page at a time: while hands are at work, that is the shop. */
function showHands() {
  if (document.body.dataset.hands) return;
  held = document.activeElement;
  document.body.dataset.hands = "true";
}

/** What was there before is there again, and so is the focus if it was in what went away. */
function hideHands() {
  if (!document.body.dataset.hands) return;
  delete document.body.dataset.hands;
  const at = document.activeElement;
  if (at === document.body || !at?.checkVisibility()) held?.focus({ preventScroll: true });
}

let kept = null;

/** The visitor's token, kept while it is good; a fresh one when the engine refused the last. */
async function clientToken({ refresh }) {
  if (!refresh && kept && kept.expires_at * 1000 - Date.now() > 60_000) return kept.token;
  const response = await fetch("/demo/token", { method: "POST" });
  if (!response.ok) throw new Error(`the shop's server gave no token (${response.status})`);
  kept = await response.json();
  return kept.token;
}

function listen(runtime) {
  runtime.on("connection", showConnection);
  runtime.on("call", (event) => {
    calls.changed(event);
    if (event.state !== "received") return;
    if (handNames.has(event.name)) showHands();
    talk.step(`${event.callId} ${event.attempt}`, titleOf(event.name), "busy");
  });
  for (const type of ["agent.tool.called", "agent.tool.failed"]) {
    runtime.on(type, (report) => {
      calls.ended(report);
      const title = report.tool.action ?? titleOf(report.name);
      const [words, tone] = !report.error ? [title, "good"] : report.error.code === "declined" ? [`${title}: you said no`, ""] : [`${title}: that did not work`, "bad"];
      talk.step(`${report.callId} ${report.attempt}`, words, tone);
    });
  }
  runtime.on("question", (event) => calls.asked(event));
  runtime.on("tool.finished", (event) => calls.recorded(event));
  runtime.on("text", (event) => talk.stream(event.messageId, event.delta));
  runtime.on("message", (event) => {
    if (event.role !== "assistant") return;
    talk.finish(event.messageId, event.text);
    if (!event.replayed) byId("assistant-badge").hidden = document.body.dataset.view === "assistant";
  });
  runtime.on("turn.finished", (event) => {
    talk.settle();
    hideHands();
    talk.toEnd();
    if (event.error) talk.say("failed", `That did not work: ${event.error.message}`);
    document.body.dataset.turn = event.status;
  });
  runtime.on("warning", (event) => console.warn(`${event.code}: ${event.message}`));
  runtime.on("fatal", (event) => talk.say("failed", `The assistant stopped: ${event.message}`));
}

async function start() {
  drawShop(shop);
  for (const button of document.querySelectorAll(".tabs button")) button.addEventListener("click", () => showView(button.dataset.view));
  for (const link of document.querySelectorAll(".bar a")) link.addEventListener("click", () => showView(link.dataset.to));
  talk.say("assistant", "Welcome in! I can see the shop in front of you and use it with you. What would you like?");

  const [answer, { hands, browser }] = await Promise.all([fetch("/demo/settings"), pageHands()]);
  const settings = await answer.json();
  for (const tool of [...hands, ...browser]) tools.set(tool.name, tool);
  for (const { name } of hands) handNames.add(name);
  if (settings.model) byId("assistant-model").textContent = `${settings.model}, using this page with you`;
  const wire = wireOf(location.search, settings.engine);
  markWire(document.querySelectorAll(".wire a"), wire.transport);
  const runtime = await createRuntime({ ...wire, token: clientToken, tools: [...tools.values()] });
  listen(runtime);
  runtime.attach();

  const send = (text) => {
    talk.say("user", text);
    document.body.dataset.turn = "running";
    runtime.send(text, { queue: true });
  };
  byId("retry").addEventListener("click", () => runtime.wake());
  byId("suggestions").append(...suggestions.map((text) => el("button", { class: "suggestion", type: "button", onclick: () => send(text) }, text)));
  byId("composer").addEventListener("submit", (event) => {
    event.preventDefault();
    const field = byId("composer-text");
    const text = field.value.trim();
    field.value = "";
    if (text) send(text);
  });
  document.body.dataset.ready = "true";
  // For the console, and for whoever drives the page from outside.
  globalThis.demo = { runtime, shop };
}

start().catch((error) => {
  showConnection({ state: "stopped", code: error.code, hint: error.message });
  talk.say("failed", `The assistant could not start. ${error.message}`);
  document.body.dataset.ready = "failed";
  document.body.dataset.code = error.code ?? "";
});
