/** The AI SDK's client side: its transport reads the stream, its message has the call, its own schema checks the input. */
import { DefaultChatTransport, asSchema, jsonSchema, readUIMessageStream } from "ai";
import { z } from "zod";
import { answering, schema, text } from "./call.mjs";

export async function start() {
  const events = [
    { type: "start", messageId: "m-1" },
    { type: "tool-input-available", toolCallId: "c-1", toolName: "read", input: JSON.parse(text) },
    { type: "finish" },
    "[DONE]",
  ];
  const checked = z.fromJSONSchema(schema);
  const own = asSchema(jsonSchema(schema, { validate: (value) => ({ success: checked.safeParse(value).success, value }) }));
  const transport = new DefaultChatTransport({ fetch: answering(events) });
  const messages = [{ id: "u-1", role: "user", parts: [{ type: "text", text: "read" }] }];
  const stream = await transport.sendMessages({ chatId: "c", messages, trigger: "submit-message", abortSignal: undefined });
  let last;
  for await (const message of readUIMessageStream({ stream })) last = message;
  const call = last.parts.find((part) => part.type === "tool-read");
  if (!(await own.validate(call.input)).success) throw new Error("the call was not valid");
}
