/** The Anthropic adapter against a local server that speaks the streaming messages format. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { anthropicModel, conversationFor } from "../../www/models/anthropic.mjs";
import { modelFrom } from "../../www/models/choose.mjs";
import { retryAfterMs } from "../../www/models/wire.mjs";
import { cut, provider, stream } from "./provider.mjs";

const asked = {
  messages: [{ id: "m-1", role: "user", content: "Hello" }],
  tools: [{ name: "read_cart", description: "Reads", input: { type: "object", properties: {} }, handler: "client" }],
};
const begin = (index, block) => ({ type: "content_block_start", index, content_block: block });
const text = (index, words) => ({ type: "content_block_delta", index, delta: { type: "text_delta", text: words } });
const json = (index, words) => ({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: words } });
const end = (reason) => [{ type: "message_delta", delta: { stop_reason: reason }, usage: { output_tokens: 1 } }, { type: "message_stop" }];
const body = (events) => stream(events, { named: true });

async function ask(answers, settings = {}, conversation = asked) {
  const server = await provider(answers);
  const deltas = [];
  const model = anthropicModel({ apiKey: "key-1", baseUrl: server.url, ...settings });
  try {
    return { reply: await model(conversation, (delta) => deltas.push(delta)), deltas, requests: server.requests };
  } catch (error) {
    return { error, deltas, requests: server.requests };
  } finally {
    await server.close();
  }
}

const parallel = body([
  { type: "message_start", message: { id: "msg_1", role: "assistant", content: [] } },
  begin(0, { type: "text", text: "" }),
  { type: "ping" },
  text(0, "Ich schaue nach – "),
  text(0, "🍵"),
  { type: "content_block_stop", index: 0 },
  begin(1, { type: "tool_use", id: "toolu_a", name: "read_cart", input: {} }),
  json(1, ""),
  { type: "content_block_stop", index: 1 },
  begin(2, { type: "tool_use", id: "toolu_b", name: "fill_address", input: {} }),
  json(2, "{\"postal_code\": \"0"),
  json(2, "700\", \"n\": 1.0}"),
  { type: "content_block_stop", index: 2 },
  ...end("tool_use"),
]);

test("text and parallel calls are the same however the bytes are split", async () => {
  for (const size of [1, 11, 100_000]) {
    const { reply, deltas } = await ask([{ chunks: cut(parallel, size) }]);
    assert.equal(reply.text, "Ich schaue nach – 🍵");
    assert.deepEqual(reply.toolCalls, [
      { id: "toolu_a", name: "read_cart", arguments: "" },
      { id: "toolu_b", name: "fill_address", arguments: "{\"postal_code\": \"0700\", \"n\": 1.0}" },
    ]);
    assert.equal(deltas.map((delta) => delta.text ?? "").join(""), "Ich schaue nach – 🍵");
  }
});

test("the request carries the key, the version, the system prompt and the tools", async () => {
  const { requests } = await ask([{ chunks: [body([begin(0, { type: "text", text: "" }), text(0, "ok"), ...end("end_turn")])] }], { system: "Be kind.", model: "m-9", maxTokens: 77 });
  const [{ url, headers, body: sent }] = requests;
  assert.equal(url, "/v1/messages");
  assert.equal(headers["x-api-key"], "key-1");
  assert.equal(headers["anthropic-version"], "2023-06-01");
  assert.deepEqual([sent.model, sent.max_tokens, sent.stream, sent.system], ["m-9", 77, true, "Be kind."]);
  assert.deepEqual(sent.tools[0], { name: "read_cart", description: "Reads", input_schema: { type: "object", properties: {} } });
});

test("a conversation keeps its order, joins answers of one reply, and shows unreadable arguments as text", () => {
  const call = (id, args) => ({ id, type: "function", function: { name: "f", arguments: args } });
  const { system, messages } = conversationFor(
    [
      { role: "system", content: "Also." },
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Looking", tool_calls: [call("a", ""), call("b", "{\"x\":1}"), call("c", "{\"x\":")] },
      { role: "tool", tool_call_id: "a", content: "1" },
      { role: "tool", tool_call_id: "b", content: [{ type: "text", text: "2" }, { type: "blob", uri: "u" }] },
      { role: "tool", tool_call_id: "c", content: "3" },
      { role: "assistant", content: "" },
      { role: "user", content: "Thanks" },
    ],
    "Be kind.",
  );
  assert.equal(system, "Be kind.\n\nAlso.");
  assert.deepEqual(messages.map((message) => message.role), ["user", "assistant", "user"]);
  assert.deepEqual(messages[1].content.slice(1).map((block) => block.input), [{}, { x: 1 }, { unreadable_arguments: "{\"x\":" }]);
  assert.deepEqual(messages[2].content.map((block) => block.tool_use_id ?? block.text), ["a", "b", "c", "Thanks"]);
  assert.equal(messages[2].content[1].content, "2\n[blob]");
});

test("a 429 is tried once more, a second one fails the request", async () => {
  const limited = { status: 429, headers: { "retry-after": "0" }, chunks: ["{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"slow down\"}}"] };
  const fine = { chunks: [body([begin(0, { type: "text", text: "" }), text(0, "ok"), ...end("end_turn")])] };
  assert.equal((await ask([limited, fine])).reply.text, "ok");
  const { error, requests } = await ask([limited]);
  assert.equal(requests.length, 2);
  assert.equal(error.code, "rate_limited");
  assert.match(error.message, /slow down/);
});

test("errors in the body, in the stream and in the connection are told in words", async () => {
  const denied = await ask([{ status: 401, chunks: ["{\"type\":\"error\",\"error\":{\"type\":\"authentication_error\",\"message\":\"invalid x-api-key\"}}"] }]);
  assert.match(denied.error.message, /Anthropic answered 401: invalid x-api-key/);
  const inside = await ask([{ chunks: [body([{ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }])] }]);
  assert.match(inside.error.message, /Anthropic: Overloaded/);
  assert.equal(inside.error.retryable, true);
  const broken = await ask([{ chunks: [body([begin(0, { type: "text", text: "" }), text(0, "Hal")])] }]);
  assert.match(broken.error.message, /broke off in mid-answer/);
  const silent = await ask([{ chunks: [body([text(0, "Hal")])], hang: true }], { silenceMs: 60 });
  assert.equal(silent.error.code, "deadline_exceeded");
});

test("arguments cut by the token limit are an error, not a call; a refusal is told as one", async () => {
  const cutOff = body([begin(0, { type: "tool_use", id: "t", name: "f", input: {} }), json(0, "{\"a"), ...end("max_tokens")]);
  assert.match((await ask([{ chunks: [cutOff] }])).error.message, /length limit/);
  assert.equal((await ask([{ chunks: [body(end("refusal"))] }])).error.code, "refused");
});

test("a request that is given up ends at once", async () => {
  const server = await provider([{ chunks: [body([text(0, "Hal")])], hang: true }]);
  const controller = new AbortController();
  const reply = anthropicModel({ apiKey: "k", baseUrl: server.url })(asked, () => controller.abort(), controller.signal);
  await assert.rejects(reply, (error) => error.code === "cancelled");
  await server.close();
});

test("the environment chooses the model, and none means the script", () => {
  assert.equal(modelFrom({}), null);
  assert.equal(modelFrom({ ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "b" }).name, "Anthropic");
  assert.equal(modelFrom({ OPENAI_API_KEY: "b", OPENAI_BASE_URL: "http://localhost:1/v1" }).name, "OpenAI");
});

test("Retry-After is read as seconds or as a date", () => {
  assert.equal(retryAfterMs("2"), 2000);
  assert.equal(retryAfterMs("Thu, 01 Jan 1970 00:00:05 GMT", 2000), 3000);
  assert.equal(retryAfterMs("Thu, 01 Jan 1970 00:00:05 GMT", 9000), 0);
  assert.equal(retryAfterMs("soon"), null);
  assert.equal(retryAfterMs(null), null);
});
