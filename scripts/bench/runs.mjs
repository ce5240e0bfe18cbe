/**
 * What a call costs where each answer sends the conversation again, over loopback against a server of a few lines: AG-UI
 * by our transport and by its own client, and the AI SDK's chat, each beside a bare loop on the same wire. Not the
 * bundled engine: the AI SDK does not speak to it, and like must stand beside like.
 */
import { figure } from "./figures.mjs";

const wanted = (text) => Number(/calls (\d+)/.exec(text)[1]);

/** Each protocol: what the conversation says so far, and the events that come next. */
const servers = {
  "ag-ui": ({ threadId, runId, messages }) => {
    const made = messages.filter((message) => message.role === "tool").length;
    const asks = made < wanted(JSON.stringify(messages[0].content));
    const [id, messageId] = [`call-${made}`, `m-${made}`];
    const call = [
      { type: "TOOL_CALL_START", toolCallId: id, toolCallName: "echo", parentMessageId: messageId },
      { type: "TOOL_CALL_ARGS", toolCallId: id, delta: `{"n":${made}}` },
      { type: "TOOL_CALL_END", toolCallId: id },
    ];
    const text = [
      { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId, delta: "Done." },
      { type: "TEXT_MESSAGE_END", messageId },
    ];
    return [{ type: "RUN_STARTED", threadId, runId }, ...(asks ? call : text), { type: "RUN_FINISHED", threadId, runId }];
  },
  ai: ({ messages }) => {
    const made = messages.flatMap((message) => message.parts).filter((part) => part.type === "tool-echo").length;
    const asks = made < wanted(messages[0].parts[0].text);
    const call = [{ type: "tool-input-available", toolCallId: `call-${made}`, toolName: "echo", input: { n: made } }];
    const text = [{ type: "text-start", id: "t" }, { type: "text-delta", id: "t", delta: "Done." }, { type: "text-end", id: "t" }];
    return [{ type: "start" }, { type: "start-step" }, ...(asks ? call : text), { type: "finish-step" }, { type: "finish" }, "[DONE]"];
  },
};

function serve(lab) {
  for (const [name, next] of Object.entries(servers)) {
    lab.route(`/runs/${name}`, async (request, response) => {
      const pieces = [];
      for await (const piece of request) pieces.push(piece);
      const events = next(JSON.parse(Buffer.concat(pieces).toString()));
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store", "x-vercel-ai-ui-message-stream": "v1" });
      response.end(events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join(""));
    });
  }
  return Object.fromEntries(Object.keys(servers).map((name) => [name, `${lab.url}/runs/${name}`]));
}

/** Measures. */
export async function measureRuns(lab, { rounds = 7, calls = 20 } = {}) {
  const urls = serve(lab);
  const page = await lab.open(`import { roundTripsOfRuns } from "./runs.mjs"; globalThis.roundTripsOfRuns = roundTripsOfRuns;`);
  const found = await page.evaluate(([where, how]) => globalThis.roundTripsOfRuns(where, how), [urls, { rounds, calls }]);
  await page.close();
  const over = (name) => found[name] - found[`${name.split(" ")[0]} bare`];
  return [
    figure({
      id: "over-bare",
      title: `A call over the bare loop, where each answer sends the conversation again (${calls} calls)`,
      where: "chromium",
      unit: "ms",
      better: "less",
      rows: [
        { name: "pagehand over AG-UI", ours: true, value: over("ag-ui ours") },
        { name: "AG-UI client", value: over("ag-ui client") },
        { name: "AI SDK chat", value: over("ai client") },
      ],
      notes: [`the bare loops: ${found["ag-ui bare"].toFixed(2)} ms a call over AG-UI, ${found["ai bare"].toFixed(2)} ms over the AI SDK's stream`],
    }),
  ];
}
