/**
 * A model behind Anthropic's messages endpoint, for the bundled engine.
 * Streams text as it comes; tool arguments are joined from their pieces and never parsed, so that the page
 * sees what the model wrote. It keeps no state between requests.
 */
import { ModelError, converse, parsed, textOf } from "./wire.mjs";

const provider = "Anthropic";
const statusCodes = { rate_limit_error: "rate_limited" };

/** Arguments as the endpoint wants them back: an object. What is none is shown to the model as the text it was. */
function inputOf(text) {
  if (!text?.trim()) return {};
  try {
    const value = JSON.parse(text);
    if (value && typeof value === "object" && !Array.isArray(value)) return value;
  } catch {
    // Told below.
  }
  return { unreadable_arguments: text };
}

function blocksFor(message) {
  if (message.role === "tool") {
    return [{ type: "tool_result", tool_use_id: message.tool_call_id, content: textOf(message.content) }];
  }
  const text = textOf(message.content);
  const calls = (message.tool_calls ?? []).map((call) => ({
    type: "tool_use",
    id: call.id,
    name: call.function.name,
    input: inputOf(call.function.arguments),
  }));
  return [...(text ? [{ type: "text", text }] : []), ...calls];
}

/** The conversation as the endpoint wants it: system apart, neighbors of one role joined. */
export function conversationFor(messages, system) {
  const instructions = [system];
  const joined = [];
  for (const message of messages) {
    if (message.role === "system") {
      instructions.push(textOf(message.content));
      continue;
    }
    const role = message.role === "assistant" ? "assistant" : "user";
    const content = blocksFor(message);
    if (content.length === 0) continue;
    if (joined.at(-1)?.role === role) joined.at(-1).content.push(...content);
    else joined.push({ role, content });
  }
  return { system: instructions.filter(Boolean).join("\n\n") || undefined, messages: joined };
}

const toolsFor = (tools) =>
  tools.map(({ name, description, input }) => ({ name, description, input_schema: input ?? { type: "object", properties: {} } }));

/** Makes `(asked, onDelta, signal) => reply` for an endpoint. */
export function anthropicModel({ apiKey, baseUrl = "https://api.anthropic.com", model = "claude-sonnet-4-5", maxTokens = 2048, system, ...limits }) {
  const url = `${baseUrl.replace(/\/+$/, "")}/v1/messages`;
  return async function reply({ messages, tools }, onDelta = () => {}, signal) {
    const offered = toolsFor(tools);
    const body = { model, max_tokens: maxTokens, stream: true, ...conversationFor(messages, system), ...(offered.length ? { tools: offered } : {}) };
    const calls = new Map();
    let text = "";
    let stopped = null;
    const take = (data) => {
      const event = parsed(provider, data);
      if (event.type === "error") {
        const code = statusCodes[event.error?.type] ?? "provider_error";
        throw new ModelError(`${provider}: ${event.error?.message ?? "the answer failed"}`, { code, retryable: true });
      }
      if (event.type === "content_block_start" && event.content_block?.type === "tool_use") {
        const call = { id: event.content_block.id, name: event.content_block.name, arguments: "" };
        calls.set(event.index, call);
        onDelta({ text: null, toolCalls: [{ ...call }] });
      }
      if (event.type === "content_block_delta" && event.delta?.type === "text_delta") {
        text += event.delta.text;
        onDelta({ text: event.delta.text, toolCalls: [] });
      }
      if (event.type === "content_block_delta" && event.delta?.type === "input_json_delta" && calls.has(event.index)) {
        const call = calls.get(event.index);
        call.arguments += event.delta.partial_json;
        if (event.delta.partial_json) onDelta({ text: null, toolCalls: [{ ...call, arguments: event.delta.partial_json }] });
      }
      if (event.type === "message_delta") stopped = event.delta?.stop_reason ?? stopped;
      return event.type === "message_stop";
    };
    const headers = { "x-api-key": apiKey, "anthropic-version": "2023-06-01" };
    const whole = await converse({ provider, url, headers, body, signal, ...limits }, take);
    if (!whole) throw new ModelError(`${provider} broke off in mid-answer`, { retryable: true });
    if (stopped === "refusal") throw new ModelError(`${provider} refused to answer`, { code: "refused" });
    if (stopped === "max_tokens" && calls.size) throw new ModelError(`${provider} reached its length limit amid a tool call`);
    return { text: text || null, toolCalls: [...calls.values()] };
  };
}
