/**
 * The bare loop: what a page would do by hand to answer an engine's calls. It opens the stream, reads it with a few
 * lines, runs the tool, posts the result. No schema, no retry, no store, no history: the floor that ours stands on.
 */

/** One session. `run(text)` sends a message and resolves when its turn is over. */
export async function bareSession({ engine, token, send = fetch, execute }) {
  const session = crypto.randomUUID();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const abort = new AbortController();
  let turnOver;
  const post = (input) => send(new Request(`${engine}/api/client/sessions/input`, { method: "POST", headers, body: JSON.stringify({ session_id: session, input }) }));

  const requested = new Map();
  async function take(kind, data) {
    if (kind === "turn.completed") return turnOver();
    if (kind === "tool.call.requested") {
      const { payload } = JSON.parse(data);
      requested.set(payload.id, payload);
    } else if (kind === "tool.call.dispatched") {
      const { id, attempt } = JSON.parse(data).payload;
      const call = requested.get(id);
      requested.delete(id);
      const result = await execute(JSON.parse(call.arguments));
      const answer = await post({ type: "tool.result", id, attempt, result });
      if (answer.status !== 202) throw new Error(`the engine answered ${answer.status}`);
      await answer.text();
    }
  }

  async function read(body) {
    const decoder = new TextDecoder();
    let rest = "";
    for (const reader = body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      let start = 0;
      for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n", start)) {
        let [kind, data] = ["", ""];
        for (const line of rest.slice(start, end).split("\n")) {
          if (line.startsWith("event: ")) kind = line.slice(7);
          else if (line.startsWith("data: ")) data = line.slice(6);
        }
        void take(kind, data);
        start = end + 2;
      }
      rest = rest.slice(start);
    }
  }

  const stream = await send(new Request(`${engine}/api/client/sessions/${session}/events/stream?after_seq=0`, { headers: { authorization: headers.authorization, accept: "text/event-stream" }, signal: abort.signal }));
  read(stream.body).catch(() => undefined);
  const run = async (content) => {
    const over = new Promise((resolve) => (turnOver = resolve));
    const message = { id: crypto.randomUUID(), role: "user", content };
    await (await post({ type: "client.append", agent_id: "shop", turn_id: crypto.randomUUID(), messages: [message], client: { tools: [{ name: "echo", handler: "client" }] } })).text();
    await over;
  };
  return { run, close: () => abort.abort() };
}
