/** What every cold start comes to: one call of a model, its schema, and the stream that a server would send it in. */

export const schema = {
  type: "object",
  properties: { url: { type: "string", minLength: 1 }, max_length: { type: "integer", minimum: 1, maximum: 999_999 }, raw: { type: "boolean" } },
  required: ["url"],
};

export const text = '{"url":"https://example.com/tea","max_length":20000,"raw":true}';

/** A fetch that answers with a stream of these events; no network is in it. */
export const answering = (events) => async () =>
  new Response(events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join(""), { headers: { "content-type": "text/event-stream", "x-vercel-ai-ui-message-stream": "v1" } });
