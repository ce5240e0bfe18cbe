/**
 * A page with tools of every kind that a reload matters to. What ran is noted at the server, which survives
 * the page; a test holds a tool by holding the server's answer. Settings come in the query, and so does the wire.
 */
import { createRuntime, tool } from "/pkg/index.js";

const query = new URLSearchParams(location.search);
const ran = (name) => fetch(`/ran/${name}`, { method: "POST" });
const gate = new Promise((resolve) => (globalThis.openGate = resolve));
const approval = new Promise((resolve) => (globalThis.approve = () => resolve(true)));

const kinds = {
  acts: { execute: async () => (await ran("acts"), "acted") },
  reads: { annotations: { readOnly: true }, execute: async () => (await ran("reads"), "read") },
  sets: { annotations: { idempotent: true }, execute: async () => (await ran("sets"), "set") },
  asks: { approve: true, execute: async () => (await ran("asks"), "asked") },
  waits: {
    execute: async (_input, { signal }) => {
      signal.addEventListener("abort", () => ran("stopped"));
      await ran("waits");
      await gate;
      return "waited";
    },
  },
  steps: {
    timeout: 600,
    execute: async (_input, { progress }) => {
      await ran("steps");
      for (let step = 1; step <= 8; step += 1) {
        await new Promise((resolve) => setTimeout(resolve, 200));
        progress(step);
      }
      return "stepped";
    },
  },
  leaves: {
    execute: async (_input, { after }) => {
      await ran("leaves");
      query.set("arrived", "");
      after(() => location.assign(`/life.html?${query}`));
      return "left";
    },
  },
};

async function token() {
  const response = await fetch("/demo/token", { method: "POST" });
  return (await response.json()).token;
}

const names = query.get("tools")?.split(",") ?? Object.keys(kinds);
const options = Object.fromEntries(["session", "storage"].filter((name) => query.has(name)).map((name) => [name, query.get(name)]));
const wires = {
  native: { engine: location.origin, agent: "tester" },
  "ag-ui": { transport: "ag-ui", engine: `${location.origin}/api/channels/ag-ui/agents/tester/run` },
};
const runtime = await createRuntime({
  ...wires[query.get("transport") ?? "native"],
  token,
  tools: names.map((name) => tool({ name, ...kinds[name] })),
  onApproval: () => approval,
  tuning: { backoffBase: 100, backoffMax: 400, stallTimeout: 500 },
  ...options,
});
const events = [];
for (const type of ["connection", "call", "agent.tool.calling", "agent.tool.called", "agent.tool.failed", "delivery", "tool.progress", "tool.finished", "message", "warning", "fatal", "turn.finished"]) {
  runtime.on(type, (event) => events.push(JSON.parse(JSON.stringify(event))));
}
runtime.attach();
globalThis.stage = { runtime, events };
