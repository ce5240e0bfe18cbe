/** The OpenAI adapter against a local server that speaks the streaming chat completions format. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { messagesFor, openAiModel } from "../../www/models/openai.mjs";
import { cut, provider, stream } from "./provider.mjs";

const piece = (delta, finish = null) => ({ choices: [{ index: 0, delta, finish_reason: finish }] });
const asked = {
  messages: [{ id: "m-1", role: "user", content: "Hello" }],
  tools: [{ name: "read_cart", description: "Reads", input: { type: "object", properties: {} }, handler: "client" }, { name: "bare" }],
};

async function ask(answers, settings = {}, conversation = asked) {
  const server = await provider(answers);
  const deltas = [];
  const model = openAiModel({ apiKey: "key-1", baseUrl: `${server.url}/v1`, ...settings });
  try {
    return { reply: await model(conversation, (delta) => deltas.push(delta)), deltas, requests: server.requests };
  } catch (error) {
    return { error, deltas, requests: server.requests };
  } finally {
    await server.close();
  }
}

const parallel = [
  piece({ role: "assistant", content: "" }),
  piece({ content: "Héllo " }),
  piece({ content: "🫖" }),
  piece({ tool_calls: [{ index: 0, id: "call_a", type: "function", function: { name: "read_cart", arguments: "" } }] }),
  piece({ tool_calls: [{ index: 1, id: "call_b", type: "function", function: { name: "bare", arguments: "{\"a\": 1." } }] }),
  piece({ tool_calls: [{ index: 1, function: { arguments: "50}" } }] }),
  piece({}, "tool_calls"),
  { choices: [], usage: { total_tokens: 3 } },
  "[DONE]",
];

test("text and parallel calls are the same however the bytes are split", async () => {
  for (const size of [1, 7, 100_000]) {
    const { reply, deltas } = await ask([{ chunks: cut(stream(parallel), size) }]);
    assert.equal(reply.text, "Héllo 🫖");
    assert.deepEqual(reply.toolCalls, [
      { id: "call_a", name: "read_cart", arguments: "" },
      { id: "call_b", name: "bare", arguments: "{\"a\": 1.50}" },
    ]);
    assert.equal(deltas.map((delta) => delta.text ?? "").join(""), "Héllo 🫖");
    assert.equal(deltas.flatMap((delta) => delta.toolCalls).filter((call) => call.id === "call_b").map((call) => call.arguments).join(""), "{\"a\": 1.50}");
  }
});

test("line ends of CRLF and comments make no difference", async () => {
  const body = `: hello\r\n\r\n${stream([piece({ content: "Hi" }), piece({}, "stop"), "[DONE]"]).replaceAll("\n", "\r\n")}`;
  for (const size of [1, 3]) assert.equal((await ask([{ chunks: cut(body, size) }])).reply.text, "Hi");
});

test("broken arguments are kept to the letter", async () => {
  const broken = "{\"city\": \"Lis";
  const events = [piece({ tool_calls: [{ index: 0, id: "c", function: { name: "bare", arguments: broken } }] }), piece({}, "tool_calls"), "[DONE]"];
  assert.equal((await ask([{ chunks: cut(stream(events), 20) }])).reply.toolCalls[0].arguments, broken);
});

test("the request carries the key, the system prompt, the tools and the conversation", async () => {
  const messages = [
    { role: "user", content: [{ type: "text", text: "Hello" }] },
    { role: "assistant", tool_calls: [{ id: "c1", type: "function", function: { name: "read_cart", arguments: "{}" } }] },
    { role: "tool", tool_call_id: "c1", content: "[]" },
  ];
  const { requests } = await ask([{ chunks: [stream([piece({ content: "ok" }, "stop"), "[DONE]"])] }], { system: "Be kind.", model: "m-9" }, { ...asked, messages });
  const [{ url, headers, body }] = requests;
  assert.equal(url, "/v1/chat/completions");
  assert.equal(headers.authorization, "Bearer key-1");
  assert.equal(body.model, "m-9");
  assert.equal(body.stream, true);
  assert.deepEqual(body.messages[0], { role: "system", content: "Be kind." });
  assert.deepEqual(body.messages[2], { role: "assistant", content: null, tool_calls: messages[1].tool_calls });
  assert.deepEqual(body.messages[3], { role: "tool", tool_call_id: "c1", content: "[]" });
  assert.deepEqual(body.tools[1].function.parameters, { type: "object", properties: {} });
});

test("no tools on offer means no tools field, which the endpoint would refuse when empty", async () => {
  const { requests } = await ask([{ chunks: [stream([piece({ content: "ok" }, "stop")])] }], {}, { ...asked, tools: [] });
  assert.equal("tools" in requests[0].body, false);
  assert.deepEqual(messagesFor([], undefined), []);
});

test("a 429 is tried once more after the time the provider names", async () => {
  const limited = { status: 429, headers: { "retry-after": "0.2", "content-type": "application/json" }, chunks: ["{\"error\":{\"message\":\"slow down\"}}"] };
  const fine = { chunks: [stream([piece({ content: "ok" }, "stop"), "[DONE]"])] };
  const start = Date.now();
  const { reply, requests } = await ask([limited, fine]);
  assert.equal(reply.text, "ok");
  assert.equal(requests.length, 2);
  assert.ok(Date.now() - start >= 190);
});

test("a second 429 fails the request with the provider's words", async () => {
  const limited = { status: 429, headers: { "retry-after": "0" }, chunks: ["{\"error\":{\"message\":\"slow down\"}}"] };
  const { error, requests } = await ask([limited]);
  assert.equal(requests.length, 2);
  assert.equal(error.code, "rate_limited");
  assert.match(error.message, /OpenAI answered 429: slow down/);
});

test("a wait longer than anybody would sit through is not waited", async () => {
  const { error, requests } = await ask([{ status: 429, headers: { "retry-after": "3600" } }]);
  assert.equal(requests.length, 1);
  assert.equal(error.code, "rate_limited");
});

test("a refused key is told without the key", async () => {
  const { error } = await ask([{ status: 401, chunks: ["{\"error\":{\"message\":\"Incorrect API key\"}}"] }]);
  assert.match(error.message, /401: Incorrect API key: check the API key/);
  assert.doesNotMatch(error.message, /key-1/);
  assert.equal(error.retryable, false);
});

test("a server error is worth another try, an HTML page from a proxy is not quoted", async () => {
  const { error } = await ask([{ status: 502, chunks: ["<html>bad gateway</html>"] }]);
  assert.equal(error.retryable, true);
  assert.equal(error.message, "OpenAI answered 502");
});

test("an answer that is no stream names the content type", async () => {
  const { error } = await ask([{ headers: { "content-type": "text/html" }, chunks: ["<p>"] }]);
  assert.match(error.message, /text\/html instead of a stream/);
});

test("an error inside the stream, a broken event and a broken connection all end the request", async () => {
  const begun = stream([piece({ content: "Hel" })]);
  const inside = await ask([{ chunks: [begun, stream([{ error: { message: "overloaded" } }])] }]);
  assert.match(inside.error.message, /OpenAI: overloaded/);
  const garbled = await ask([{ chunks: [begun, "data: {\"choi\n\n"] }]);
  assert.match(garbled.error.message, /not JSON/);
  const destroyed = await ask([{ chunks: [begun], destroy: true }]);
  assert.match(destroyed.error.message, /broke off/);
  const ended = await ask([{ chunks: [begun] }]);
  assert.match(ended.error.message, /broke off in mid-answer/);
});

test("arguments cut by the length limit are an error, not a call", async () => {
  const events = [piece({ tool_calls: [{ index: 0, id: "c", function: { name: "bare", arguments: "{\"a" } }] }), piece({}, "length"), "[DONE]"];
  assert.match((await ask([{ chunks: [stream(events)] }])).error.message, /length limit/);
});

test("silence ends the request", async () => {
  const { error } = await ask([{ chunks: [stream([piece({ content: "Hel" })])], hang: true }], { silenceMs: 80 });
  assert.equal(error.code, "deadline_exceeded");
});

test("a trickle that never ends is ended", async () => {
  const { error } = await ask([{ chunks: Array.from({ length: 200 }, () => ": still here\n"), hang: true }], { totalMs: 60 });
  assert.match(error.message, /did not finish within/);
});

test("nobody listening is an error that names the reason", async () => {
  const model = openAiModel({ apiKey: "k", baseUrl: "http://127.0.0.1:9" });
  await assert.rejects(model(asked), /OpenAI could not be reached/);
});
