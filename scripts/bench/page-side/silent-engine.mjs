/**
 * An engine inside the page that costs next to nothing: a `fetch` that speaks the native wire, asks for the calls it is
 * told to and takes every answer. What is left to measure is the client. It checks nothing and keeps nothing.
 */

const encoder = new TextEncoder();

/** Makes one. A message of the text `calls N` is answered by N calls at once, and its turn ends when all are in. */
export function silentEngine() {
  let [seq, calls] = [0, 0];
  let stream;
  const settled = { calls: 0, refused: 0 };
  const turn = { id: "", open: new Set() };

  const frame = (payload) => {
    seq += 1;
    return `id: ${seq}\nevent: ${payload.type}\ndata: ${JSON.stringify({ session_id: "s", seq, turn_id: turn.id, occurred_at: "2026-09-03T10:00:40Z", payload })}\n\n`;
  };
  const say = (...payloads) => stream.enqueue(encoder.encode(payloads.map(frame).join("")));

  function begin({ turn_id, messages: [message] }) {
    turn.id = turn_id;
    say({ type: "turn.started", turn_id }, { type: "message.new", message });
    const count = Number(/^calls (\d+)$/.exec(message.content)[1]);
    const payloads = [];
    for (let at = 0; at < count; at += 1) {
      const id = `call-${(calls += 1)}`;
      turn.open.add(id);
      payloads.push({ type: "tool.call.requested", id, attempt: 0, name: "echo", arguments: `{"n":${at}}`, handler: "client" }, { type: "tool.call.dispatched", id, attempt: 0 });
    }
    say(...payloads);
  }

  function settle({ type, id, result }) {
    if (type !== "tool.result" || !turn.open.delete(id)) {
      settled.refused += 1;
      return;
    }
    settled.calls += 1;
    const payloads = [{ type: "tool.call.completed", id, name: "echo", result }];
    if (turn.open.size === 0) payloads.push({ type: "turn.completed", turn_id: turn.id, data: null });
    say(...payloads);
  }

  async function send(request) {
    if (request.method === "GET") {
      const body = new ReadableStream({
        start: (controller) => {
          stream = controller;
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    }
    const { session_id, input } = JSON.parse(await request.text());
    // The answer is out before the stream goes on, as over a network.
    setTimeout(() => (input.type === "client.append" ? begin(input) : settle(input)));
    return new Response(JSON.stringify({ queued: false, session_id, turn_id: input.turn_id ?? turn.id }), { status: 202, headers: { "content-type": "application/json" } });
  }
  return { send, settled };
}
