/**
 * A page whose tools ask the person: by the built-in dialog, as an app that gives no option gets it. Each run is
 * noted at the server, which survives the page.
 */
import { createRuntime, tool } from "/pkg/index.js";

const ran = (name, input) => fetch(`/ran/${name}`, { method: "POST", body: JSON.stringify(input) });
const name = { type: "object", properties: { name: { type: "string", minLength: 1 }, pin: { type: "string", format: "password" } }, required: ["name"] };
const pay = { input: { type: "object", properties: { to: { type: "string" }, sum: { type: "integer", maximum: 100 } }, required: ["to", "sum"] }, execute: async (input) => (await ran("pay", input), { paid: input.sum }) };

const tools = {
  pay: { ...pay, annotations: { destructive: true }, action: ({ to, sum }) => `Pay ${sum} to ${to}` },
  edit: { ...pay, approve: "always", editable: true },
  once: { ...pay, approve: "once" },
  reads: { annotations: { readOnly: true }, execute: async (_input, { ask }) => (await ran("reads"), ask({ title: "Who are you?", schema: name })) },
  acts: { timeout: 400, execute: async (_input, { ask, confirm }) => (await ran("acts"), (await confirm("Go on?")) ? ask({ title: "Who are you?", schema: name }) : "no") },
};

async function token() {
  const response = await fetch("/demo/token", { method: "POST" });
  return (await response.json()).token;
}

const runtime = await createRuntime({
  engine: location.origin,
  agent: "tester",
  token,
  tools: Object.entries(tools).map(([key, config]) => tool({ name: key, ...config })),
  tuning: { backoffBase: 100, backoffMax: 400 },
});
const events = [];
for (const type of ["question", "agent.tool.called", "agent.tool.failed", "warning"]) runtime.on(type, (event) => events.push(JSON.parse(JSON.stringify(event))));
runtime.attach();
globalThis.stage = { runtime, events };
