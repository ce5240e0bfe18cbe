/**
 * The longest that a page is held up while 20 MB of deltas stream in over loopback: by a runtime that nobody listens to,
 * by one whose deltas are listened to, by eventsource-parser and `JSON.parse`, and by nothing at all.
 */
import { figure } from "./figures.mjs";
import { median } from "./page-side/rounds.mjs";
import { tracingTasks } from "./tasks.mjs";

const names = {
  silent: "pagehand, nobody listens",
  listening: "pagehand, each delta listened to",
  byHand: "eventsource-parser and JSON.parse",
  idle: "an idle page",
};

/** Until there is room for more, or nobody to send it to. */
const drained = (response) =>
  new Promise((resolve) => {
    const done = () => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });

const block = 64 * 1024;

/** A native stream whose one turn talks until so many bytes are out. */
function talkative(lab, size) {
  // Either may come first: the request for a session's stream, or the message.
  const streams = new Map();
  const streamOf = (id) => {
    if (!streams.has(id)) {
      let open;
      const opened = new Promise((resolve) => (open = resolve));
      streams.set(id, { open, opened });
    }
    return streams.get(id);
  };
  const delta = (seq, text) => `event: llm.token.delta\ndata: ${JSON.stringify({ type: "llm.token.delta", session_id: "s1", agent_id: "shop", turn_id: "T", call_id: "llm-1", attempt: 0, text, reasoning: null, tool_calls: null, finish_reason: null, seq })}\n\n`;
  let [text, characters] = ["", 0];
  for (let seq = 0; text.length < block; seq += 1) {
    const said = ` word ${seq}`;
    text += delta(seq, said);
    characters += said.length;
  }
  const placed = (seq, payload) => `id: ${seq}\nevent: ${payload.type}\ndata: ${JSON.stringify({ session_id: "s1", seq, turn_id: "T", payload })}\n\n`;

  async function pour(response, turnId) {
    const named = (words) => words.replaceAll('"T"', JSON.stringify(turnId));
    response.write(named(placed(1, { type: "turn.started", turn_id: "T" }) + placed(2, { type: "message.new", message: { id: "m-1", role: "user", content: "talk" } })));
    const bytes = Buffer.from(named(text));
    for (let sent = 0; sent < size; sent += bytes.length) {
      if (!response.write(bytes)) await drained(response);
    }
    response.write(named(placed(3, { type: "turn.completed", turn_id: "T", data: null })));
  }

  lab.route("/talk/", async (request, response) => {
    const id = /\/sessions\/([^/]+)\/events/.exec(request.url)?.[1];
    if (id) {
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
      response.flushHeaders();
      return streamOf(id).open(response);
    }
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const { session_id, input } = JSON.parse(Buffer.concat(pieces).toString());
    response.writeHead(202, { "content-type": "application/json" });
    response.end(JSON.stringify({ queued: false, session_id, turn_id: input.turn_id }));
    const stream = await streamOf(session_id).opened;
    streams.delete(session_id);
    await pour(stream, input.turn_id);
  });
  return { url: `${lab.url}/talk`, characters: Math.ceil(size / Buffer.byteLength(text.replaceAll('"T"', JSON.stringify("0".repeat(36))))) * characters };
}

/** Measures. */
export async function measureDeltas(lab, { megabytes = 20, rounds = 3 } = {}) {
  const engine = talkative(lab, megabytes * 1e6);
  const page = await lab.open(`import { talk } from "./deltas.mjs"; globalThis.talk = talk;`);
  const samples = Object.fromEntries(Object.keys(names).map((name) => [name, []]));
  // The first round is for the compilers.
  for (let round = -1; round < rounds; round += 1) {
    for (const name of Object.keys(names)) {
      const { found, tasks } = await tracingTasks(lab.context, () => page.evaluate(([who, where]) => globalThis.talk(who, where), [name, engine.url]));
      if (name !== "idle" && found.characters === 0) throw new Error(`${name} read nothing`);
      if (round >= 0) samples[name].push({ ...found, task: tasks[0] });
    }
  }
  await page.close();
  const rows = (pick, wanted = Object.keys(names)) => wanted.map((name) => ({ name: names[name], ours: name === "silent" || name === "listening", value: median(samples[name].map(pick)) }));
  const longest = Math.max(...["silent", "listening"].map((name) => median(samples[name].map((found) => found.task))));
  const longTasks = (name) => samples[name].reduce((sum, found) => sum + found.longTasks, 0);
  return [
    figure({
      id: "longest-task",
      title: `The longest task in ${megabytes} MB of deltas, its time on the processor`,
      where: "chromium",
      unit: "ms",
      better: "less",
      rows: rows((found) => found.task),
      aim: { text: "≤ 8 ms", value: longest, met: longest <= 8 },
      notes: [
        `how late the latest timer came, with all that the machine did besides: ${Object.keys(names).map((name) => `${names[name]} ${median(samples[name].map((found) => found.latest)).toFixed(1)} ms`).join(", ")}`,
        `tasks over 50 ms, all rounds: ${Object.keys(names).map((name) => `${names[name]} ${longTasks(name)}`).join(", ")}`,
      ],
    }),
    figure({ id: "delta-rate", title: `${megabytes} MB of deltas over loopback, from the message to the end of its turn`, where: "chromium", unit: "MB/s", better: "more", rows: rows((found) => (megabytes * 1000) / found.ms, ["silent", "listening", "byHand"]) }),
  ];
}
