/** The AG-UI client: a run that ends in a call. Its own schemas check the events; the arguments it leaves to the app. */
import { HttpAgent } from "@ag-ui/client";
import { answering, schema, text } from "./call.mjs";

export async function start() {
  const ids = { threadId: "t", runId: "r" };
  const events = [
    { type: "RUN_STARTED", ...ids },
    { type: "TOOL_CALL_START", toolCallId: "c-1", toolCallName: "read" },
    { type: "TOOL_CALL_ARGS", toolCallId: "c-1", delta: text },
    { type: "TOOL_CALL_END", toolCallId: "c-1" },
    { type: "RUN_FINISHED", ...ids },
  ];
  const agent = new HttpAgent({ url: "/none", threadId: "t", fetch: answering(events) });
  await agent.runAgent({ runId: "r", tools: [{ name: "read", description: "Reads", parameters: schema }] });
  const call = agent.messages.at(-1)?.toolCalls?.[0];
  JSON.parse(call.function.arguments);
}
