/**
 * How long a page is held up while a model talks a great deal: a turn of many megabytes of deltas, read by a runtime or
 * by hand, while the page counts how late its own next task comes. Runs in a page.
 */
import { createParser } from "eventsource-parser";
import { createRuntime } from "pagehand";

/** The least that a browser makes a timer wait which is asked for again and again. */
const TICK = 4;

/** Asks for a timer over and over: how late the latest comes is the longest that anything held the page up. */
function watchGaps() {
  let [last, latest, over] = [performance.now(), 0, false];
  const tick = () => {
    const now = performance.now();
    latest = Math.max(latest, now - last - TICK);
    last = now;
    if (!over) setTimeout(tick, TICK);
  };
  setTimeout(tick, TICK);
  const long = [];
  const observer = new PerformanceObserver((seen) => long.push(...seen.getEntries().map((entry) => entry.duration)));
  observer.observe({ type: "longtask" });
  return () => {
    over = true;
    observer.disconnect();
    return { latest, longTasks: long.length };
  };
}

async function byRuntime(engine, listens, begin) {
  const runtime = await createRuntime({ engine, agent: "shop", session: "new", storage: "memory", token: () => "t" });
  let length = 0;
  if (listens) runtime.on("text", ({ delta }) => (length += delta.length));
  begin();
  const { status, text } = await runtime.send("talk").finished;
  await runtime.close();
  if (status !== "completed") throw new Error(`the turn ended as ${status}`);
  return listens ? length : text.length;
}

async function byHand(engine, begin) {
  let text = "";
  begin();
  const session = crypto.randomUUID();
  const response = await fetch(`${engine}/api/client/sessions/${session}/events/stream?after_seq=0`);
  await fetch(`${engine}/api/client/sessions/input`, { method: "POST", body: JSON.stringify({ session_id: session, input: { type: "client.append", turn_id: "t-1", messages: [{ id: "m-1", role: "user", content: "talk" }] } }) });
  const decoder = new TextDecoder();
  let over = false;
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (event === "llm.token.delta") text += JSON.parse(data).text;
      else if (event === "turn.completed") over = true;
    },
  });
  for (const reader = response.body.getReader(); !over; ) {
    const { done, value } = await reader.read();
    if (done) break;
    parser.feed(decoder.decode(value, { stream: true }));
  }
  return text.length;
}

/** Nothing at all for a while: what the machine itself does to a page. */
const idle = (_engine, begin) => new Promise((resolve) => setTimeout(resolve, 500, begin()));

const contenders = { silent: (engine, begin) => byRuntime(engine, false, begin), listening: (engine, begin) => byRuntime(engine, true, begin), byHand, idle };

/** One run: how long it took, and how late the page's tasks came. */
export async function talk(name, engine) {
  let [start, stop] = [0, undefined];
  // What is made once, a runtime say, is not what is asked about.
  const characters = await contenders[name](engine, () => {
    start = performance.now();
    stop = watchGaps();
  });
  return { ms: performance.now() - start, characters, ...stop() };
}
