/**
 * The stream that parsers are fed: what an engine sends while a model talks and calls tools. Mostly deltas of a few
 * words, now and then a tool call from its request to its end, and a message. The same text on every run.
 */

const words = "the quick tea of a slow morning keeps well in its tin by the harbour wall for you and me".split(" ");

/** A small generator of numbers below one: the same each time. */
function chance(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const delta = (seq, text) =>
  `event: llm.token.delta\ndata: ${JSON.stringify({ type: "llm.token.delta", session_id: "s1", agent_id: "shop", turn_id: "t-1", call_id: "llm-1", attempt: 0, text, reasoning: null, tool_calls: null, finish_reason: null, seq })}\n\n`;

const placed = (seq, payload) =>
  `id: ${seq}\nevent: ${payload.type}\ndata: ${JSON.stringify({ session_id: "s1", seq, occurred_at: "2026-09-03T10:00:40Z", turn_id: "t-1", payload })}\n\n`;

function toolCall(seq, number) {
  const id = `call-${number}`;
  const args = JSON.stringify({ sku: `tea-${number}`, quantity: (number % 5) + 1, note: words.slice(0, 8).join(" ") });
  return [
    placed(seq, { type: "tool.call.requested", id, attempt: 0, name: "add_to_cart", arguments: args, handler: "client", retry: { run_timeout_secs: 60, max_attempts: 1 } }),
    placed(seq + 1, { type: "tool.call.dispatched", id, attempt: 0 }),
    placed(seq + 2, { type: "tool.call.completed", id, name: "add_to_cart", result: { items: number, total: "12.50" } }),
  ];
}

/** Bytes of at least a size, and how many frames they hold: in all, and without the deltas. */
export function streamText(size) {
  const next = chance(7);
  const frames = [];
  let [length, seq, calls, toolFrames] = [0, 1, 0, 0];
  const put = (frame) => {
    frames.push(frame);
    length += frame.length;
  };
  while (length < size) {
    for (let at = 0; at < 60; at += 1) put(delta(at, Array.from({ length: 1 + Math.floor(next() * 4) }, () => ` ${words[Math.floor(next() * words.length)]}`).join("")));
    for (const frame of toolCall(seq, calls)) put(frame);
    put(placed(seq + 3, { type: "message.new", message: { id: `m-${seq}`, role: "assistant", content: `Done: ${words.join(" ")}` } }));
    seq += 4;
    calls += 1;
    toolFrames += 4;
  }
  return { bytes: new TextEncoder().encode(frames.join("")), frames: frames.length, toolFrames };
}

/** Bytes cut into chunks of a size, as a network would hand them over: each in memory of its own. */
export function cut(bytes, size) {
  const chunks = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.slice(at, at + size));
  return chunks;
}
