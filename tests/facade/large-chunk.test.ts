/** A chunk of megabytes, as browsers hand over where a server is fast: read in pieces, with the page's turn between. */
import { expect, it, onTestFinished } from "vitest";
import { type Runtime, createRuntime } from "pagehand";

const DELTAS = 10_000;

interface Input {
  session_id: string;
  input: { turn_id: string; messages: { id: string }[] };
}

/** A runtime over an engine that says a whole turn in one chunk of a megabyte and more. */
async function open(): Promise<{ runtime: Runtime; size: () => number }> {
  const encoder = new TextEncoder();
  let [size, stream] = [0, undefined as ReadableStreamDefaultController<Uint8Array> | undefined];
  const say = ({ turn_id, messages: [message] }: Input["input"]) => {
    const placed = (seq: number, payload: { type: string; [field: string]: unknown }) => `id: ${seq}\nevent: ${payload.type}\ndata: ${JSON.stringify({ session_id: "s", seq, turn_id, payload })}\n\n`;
    const deltas = Array.from({ length: DELTAS }, (_, seq) => `event: llm.token.delta\ndata: ${JSON.stringify({ type: "llm.token.delta", session_id: "s", turn_id, call_id: "llm-1", text: `${seq} `, seq })}\n\n`);
    const bytes = encoder.encode([placed(1, { type: "turn.started", turn_id }), placed(2, { type: "message.new", message: { ...message, role: "user", content: "go" } }), ...deltas, placed(3, { type: "turn.completed", turn_id, data: null })].join(""));
    size = bytes.length;
    stream?.enqueue(bytes);
  };
  const runtime = await createRuntime({
    engine: "https://engine.test",
    agent: "shop",
    session: "new",
    storage: "memory",
    fetch: async (request) => {
      if (request.method === "GET") {
        return new Response(new ReadableStream({ start: (controller) => void (stream = controller) }), { headers: { "content-type": "text/event-stream" } });
      }
      const { session_id, input } = (await request.json()) as Input;
      setTimeout(() => say(input));
      return Response.json({ queued: false, session_id, turn_id: input.turn_id }, { status: 202 });
    },
  });
  onTestFinished(() => runtime.close());
  return { runtime, size: () => size };
}

/** Counts the turns that the page gets. */
function turnsOfThePage(): () => number {
  let [turns, over] = [0, false];
  const next = () => {
    turns += 1;
    if (!over) setImmediate(next);
  };
  setImmediate(next);
  onTestFinished(() => void (over = true));
  return () => turns;
}

it("loses nothing, and lets the page have its turn between the pieces", async () => {
  const { runtime, size } = await open();
  const turns = turnsOfThePage();
  const seen: { delta: string; at: number }[] = [];
  runtime.on("text", ({ delta }) => seen.push({ delta, at: turns() }));
  const { status, text } = await runtime.send("go").finished;
  expect(status).toBe("completed");
  expect(size()).toBeGreaterThan(1_000_000);
  expect(seen.map(({ delta }) => delta).join("")).toBe(Array.from({ length: DELTAS }, (_, at) => `${at} `).join(""));
  expect(text).toBe(seen.map(({ delta }) => delta).join(""));
  // Without pieces all of it is told within one turn.
  const held = new Map<number, number>();
  for (const { at } of seen) held.set(at, (held.get(at) ?? 0) + 1);
  expect(Math.max(...held.values())).toBeLessThan(DELTAS / 5);
});

it("is left where it is once the runtime is closed", async () => {
  const { runtime } = await open();
  let heard = 0;
  runtime.on("text", () => {
    heard += 1;
    if (heard === 1) void runtime.close();
  });
  await runtime.send("go").finished;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(heard).toBeLessThan(DELTAS / 5);
});
