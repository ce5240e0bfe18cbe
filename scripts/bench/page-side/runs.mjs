/**
 * Calls over protocols in which the page sends the whole conversation again with each answer: AG-UI and the AI SDK's.
 * A small server asks for one call after another; beside each client stands a bare loop on the same wire, which keeps
 * the same transcript and reads the stream by hand. Runs in a page.
 */
import { HttpAgent } from "@ag-ui/client";
import { AbstractChat, DefaultChatTransport, lastAssistantMessageIsCompleteWithToolCalls } from "ai";
import { createRuntime, tool } from "pagehand";
import { median } from "./rounds.mjs";

const echo = ({ n }) => ({ ok: n });

/** Posts a body and hands out the events of its answer, read with a few lines. */
async function* posted(url, body) {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json", accept: "text/event-stream" }, body: JSON.stringify(body) });
  const decoder = new TextDecoder();
  let rest = "";
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) if (!block.endsWith("[DONE]")) yield JSON.parse(block.slice(block.indexOf("data: ") + 6));
  }
}

async function bareAgUi(url, calls) {
  const messages = [{ id: "u-1", role: "user", content: `calls ${calls}` }];
  for (let run = 0; ; run += 1) {
    const made = [];
    for await (const event of posted(url, { threadId: "t", runId: `r-${run}`, messages, tools: [{ name: "echo", description: "Echoes", parameters: {} }], context: [], state: {}, forwardedProps: {} })) {
      if (event.type === "TOOL_CALL_START") made.push({ id: event.toolCallId, type: "function", function: { name: event.toolCallName, arguments: "" } });
      else if (event.type === "TOOL_CALL_ARGS") made.at(-1).function.arguments += event.delta;
    }
    if (made.length === 0) return run;
    messages.push({ id: `a-${run}`, role: "assistant", toolCalls: made });
    for (const call of made) messages.push({ id: `t-${call.id}`, role: "tool", toolCallId: call.id, content: JSON.stringify(echo(JSON.parse(call.function.arguments))) });
  }
}

async function agUiClient(url, calls) {
  const agent = new HttpAgent({ url, threadId: "t" });
  agent.addMessage({ id: "u-1", role: "user", content: `calls ${calls}` });
  for (let run = 0; ; run += 1) {
    await agent.runAgent({ tools: [{ name: "echo", description: "Echoes", parameters: {} }] });
    const made = agent.messages.at(-1).toolCalls ?? [];
    if (made.length === 0) return run;
    for (const call of made) agent.addMessage({ id: `t-${call.id}`, role: "tool", toolCallId: call.id, content: JSON.stringify(echo(JSON.parse(call.function.arguments))) });
  }
}

/** The runtime is made before the clock runs, as a page has it long before the first call. */
async function oursOverAgUi(url, calls) {
  let run = 0;
  const counted = (input) => {
    run += 1;
    return echo(input);
  };
  const runtime = await createRuntime({ transport: "ag-ui", engine: url, session: "new", storage: "memory", tools: [tool({ name: "echo", execute: counted })], tuning: { maxRounds: calls + 1 } });
  return async () => {
    const { status } = await runtime.send(`calls ${calls}`).finished;
    void runtime.close();
    return status === "completed" ? run : -1;
  };
}

async function bareAi(url, calls) {
  const messages = [{ id: "u-1", role: "user", parts: [{ type: "text", text: `calls ${calls}` }] }, { id: "a-1", role: "assistant", parts: [] }];
  for (let run = 0; ; run += 1) {
    const made = [];
    for await (const event of posted(url, { id: "c", messages, trigger: "submit-message" })) if (event.type === "tool-input-available") made.push(event);
    if (made.length === 0) return run;
    messages[1].parts.push({ type: "step-start" }, ...made.map(({ toolCallId, input }) => ({ type: "tool-echo", toolCallId, state: "output-available", input, output: echo(input) })));
  }
}

/** A chat without a framework around it; the snapshot is what the published ones take. */
class Chat extends AbstractChat {
  constructor(options) {
    super({
      ...options,
      state: {
        status: "ready",
        error: undefined,
        messages: [],
        pushMessage(message) {
          this.messages = [...this.messages, message];
        },
        popMessage() {
          this.messages = this.messages.slice(0, -1);
        },
        replaceMessage(index, message) {
          this.messages = this.messages.with(index, message);
        },
        snapshot: (value) => structuredClone(value),
      },
    });
  }
}

function aiClient(url, calls) {
  return new Promise((resolve, reject) => {
    let run = 0;
    const chat = new Chat({
      transport: new DefaultChatTransport({ api: url }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall: ({ toolCall }) => {
        run += 1;
        void chat.addToolOutput({ tool: "echo", toolCallId: toolCall.toolCallId, output: echo(toolCall.input) });
      },
      onFinish: ({ message }) => message.parts.some((part) => part.type === "text") && resolve(run),
      onError: reject,
    });
    void chat.sendMessage({ text: `calls ${calls}` });
  });
}

/** One that has nothing to make first. */
const atOnce = (drive) => async (url, calls) => () => drive(url, calls);

const contenders = { "ag-ui bare": atOnce(bareAgUi), "ag-ui ours": oursOverAgUi, "ag-ui client": atOnce(agUiClient), "ai bare": atOnce(bareAi), "ai client": atOnce(aiClient) };

/** Milliseconds a call takes, by contender. `urls` are the two servers'. */
export async function roundTripsOfRuns(urls, { rounds, calls }) {
  const samples = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  // The first round is for the compilers.
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, prepare] of Object.entries(contenders)) {
      const drive = await prepare(urls[name.split(" ")[0]], calls);
      const start = performance.now();
      const made = await drive();
      if (made !== calls) throw new Error(`${name} made ${made} of ${calls} calls`);
      if (round >= 0) samples[name].push((performance.now() - start) / calls);
    }
  }
  return Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, median(values)]));
}
