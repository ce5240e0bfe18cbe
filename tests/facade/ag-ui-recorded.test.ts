/** What four public AG-UI servers sent, byte for byte, through a whole page: the call runs here and the turn goes on. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { createRuntime, tool } from "pagehand";
import type { RunInput } from "./ag-ui-server.ts";

const file = (name: string) => new URL(`../fixtures/ag-ui/${name}`, import.meta.url);

/** A server that answers the n-th run with what was recorded of it. */
function recorded(server: string, scenario: string) {
  const runs: RunInput[] = [];
  const fetch = async (request: Request) => {
    const index = runs.push((await request.json()) as RunInput);
    const stream = file(`${server}/${scenario}.run${index}.sse`);
    return existsSync(stream) ? new Response(readFileSync(stream), { headers: { "content-type": "text/event-stream" } }) : new Response("no more was recorded", { status: 404 });
  };
  return { runs, fetch };
}

const SERVERS = ["pydantic", "tanstack", "langgraph_v1", "copilotkit"];

describe.each(SERVERS)("%s", (server) => {
  /** Where a server takes answers in more ways than one, by tool messages, as this page gives them. */
  const named = (scenario: string) => (existsSync(file(`${server}/${scenario}-raw-tool.run2.sse`)) ? `${scenario}-raw-tool` : scenario);

  it.each([
    ["single", [{ name: "get_cart", input: { currency: "EUR" } }]],
    ["noargs", [{ name: "ping", input: {} }]],
    ["parallel", [{ name: "get_cart", input: { currency: "EUR" } }, { name: "add_item", input: { sku: "A-1", qty: 2 } }]],
  ])("has its calls run and answered (%s)", async (scenario, wanted) => {
    const { runs, fetch } = recorded(server, named(scenario));
    const ran: unknown[] = [];
    const tools = ["get_cart", "add_item", "ping"].map((name) => tool({ name, execute: (input) => (ran.push({ name, input }), { done: name }) }));
    const runtime = await createRuntime({ engine: "https://ag-ui.test/run", transport: "ag-ui", fetch, tools, storage: "memory" });
    onTestFinished(() => runtime.close());
    const result = await runtime.send(`please run #${scenario}`).finished;
    expect(result).toMatchObject({ status: "completed", text: expect.stringContaining("Done: ") });
    expect(ran).toEqual(wanted);
    expect(runs).toHaveLength(2);
    const answers = runs[1]?.messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    expect(answers).toEqual(wanted.map(({ name }) => JSON.stringify({ done: name })));
    const asked = runs[1]?.messages.flatMap(({ toolCalls = [] }) => toolCalls as { id: string }[]).map(({ id }) => id);
    expect(runs[1]?.messages.flatMap(({ toolCallId }) => toolCallId ?? [])).toEqual(asked);
  });
});
