/**
 * A model behind an OpenAI-style chat completions endpoint, for the bundled engine.
 * Streams text as it comes; tool arguments are joined from their pieces and never parsed, so that the page
 * sees what the model wrote. It keeps no state between requests.
 */
import { ModelError, converse, parsed, textOf } from "./wire.mjs";

const provider = "OpenAI";

/** The conversation as the endpoint wants it. */
export function messagesFor(messages, system) {
  const given = messages.map((message) => {
    const { role, content, tool_calls: calls, tool_call_id: answered } = message;
    if (role === "tool") return { role, tool_call_id: answered, content: textOf(content) };
    if (role !== "assistant") return { role, content: textOf(content) };
    const text = textOf(content);
    return { role, content: text || null, ...(calls?.length ? { tool_calls: calls } : {}) };
  });
  return system ? [{ role: "system", content: system }, ...given] : given;
}

const toolsFor = (tools) =>
  tools.map(({ name, description, input }) => ({
    type: "function",
    function: { name, description, parameters: input ?? { type: "object", properties: {} } },
  }));

/** Adds one piece of a call; the endpoint names the call by its place. */
function addPiece(calls, piece, position) {
  const index = piece.index ?? position;
  const call = (calls[index] ??= { id: undefined, name: "", arguments: "" });
  if (piece.id) call.id = piece.id;
  if (piece.function?.name) call.name += piece.function.name;
  if (piece.function?.arguments) call.arguments += piece.function.arguments;
  return { id: call.id, name: call.name, arguments: piece.function?.arguments ?? "" };
}

/** Makes `(asked, onDelta, signal) => reply` for an endpoint. */
export function openAiModel({ apiKey, baseUrl = "https://api.openai.com/v1", model = "gpt-4.1-mini", system, ...limits }) {
  const url = `${baseUrl.replace(/\/+$/, "")}/chat/completions`;
  return async function reply({ messages, tools }, onDelta = () => {}, signal) {
    const offered = toolsFor(tools);
    const body = { model, stream: true, messages: messagesFor(messages, system), ...(offered.length ? { tools: offered } : {}) };
    const calls = [];
    let text = "";
    let finish = null;
    const take = (data) => {
      if (data.trim() === "[DONE]") return true;
      const event = parsed(provider, data);
      if (event.error) throw new ModelError(`${provider}: ${event.error.message ?? "the answer failed"}`, { retryable: true });
      const choice = event.choices?.[0];
      if (!choice) return false;
      const piece = choice.delta?.content ?? "";
      const more = (choice.delta?.tool_calls ?? []).map((call, position) => addPiece(calls, call, position));
      text += piece;
      finish = choice.finish_reason ?? finish;
      if (piece || more.length) onDelta({ text: piece || null, toolCalls: more });
      return false;
    };
    const headers = { authorization: `Bearer ${apiKey}` };
    await converse({ provider, url, headers, body, signal, ...limits }, take);
    if (!finish) throw new ModelError(`${provider} broke off in mid-answer`, { retryable: true });
    if (finish === "content_filter") throw new ModelError(`${provider} withheld the answer`, { code: "refused" });
    if (finish === "length" && calls.length) throw new ModelError(`${provider} reached its length limit amid a tool call`);
    return { text: text || null, toolCalls: calls.filter(Boolean) };
  };
}
