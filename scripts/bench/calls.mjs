/**
 * What a call costs: its round trip against the bundled engine over loopback, beside the bare loop; a thousand at once;
 * and ten thousand in one session, with the memory they leave. The last two run against an engine inside the page that
 * costs nothing, so that what grows is the client's.
 */
import { createTestEngine } from "../../pkg/testing.js";
import { figure } from "./figures.mjs";
import { median } from "./page-side/rounds.mjs";

const names = { memory: "pagehand, records in memory", stored: "pagehand, records in IndexedDB (default)", bare: "a bare fetch loop" };
const toRows = (found) => Object.entries(names).filter(([key]) => key in found).map(([key, name]) => ({ name, ours: key !== "bare", value: found[key] }));

const entry = `
  // A module's memory is its glue's own matter; seen from outside it is an export of an instance.
  const memories = [];
  const Instance = WebAssembly.Instance;
  WebAssembly.Instance = class extends Instance {
    constructor(...given) {
      super(...given);
      memories.push(this.exports.memory);
    }
  };
  globalThis.wasmBytes = () => memories.reduce((sum, memory) => sum + memory.buffer.byteLength, 0);
  globalThis.bench = await import("./calls.mjs");
`;

async function measureRoundTrip(page, { rounds, calls }) {
  const rule = (user, times) => ({ when: { user }, times, call: [{ name: "echo", arguments: { n: 1 } }] });
  const engine = await createTestEngine({
    deltaIntervalMs: 0,
    decisionMs: 0,
    dispatchDelayMs: 0,
    agent: { stream: false, tools: [{ name: "echo", handler: "client" }] },
    script: { rules: [rule("warm", 3), rule("sequence", calls)], otherwise: { say: "Done." } },
  });
  try {
    const { url } = await engine.listen();
    const given = { engine: url, token: await engine.token() };
    return await page.evaluate(([where, how]) => globalThis.bench.roundTrips(where, how), [given, { rounds, calls }]);
  } finally {
    await engine.close();
  }
}

/** Bytes in use after the garbage is gone. */
async function memoryOf(page, session) {
  // A second time: what the first one frees may have held more.
  for (let time = 0; time < 2; time += 1) await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return { heap: usedSize, wasm: await page.evaluate(() => globalThis.wasmBytes()) };
}

/** Ten thousand calls in one session of one runtime, a page of its own for each kind. */
async function measureLong(lab, name, { turns, calls }) {
  const page = await lab.open(entry);
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.enable");
  const next = (count) => page.evaluate(([wanted, each]) => globalThis.session.next(wanted, each), [count, calls]);
  await page.evaluate(async (wanted) => {
    globalThis.session = await globalThis.bench.longSession(wanted);
  }, name);
  await next(2);
  const before = await memoryOf(page, session);
  const times = await next(turns);
  const after = await memoryOf(page, session);
  const tenth = Math.max(1, Math.floor(turns / 10));
  await next(tenth);
  const later = await memoryOf(page, session);
  await page.close();
  return { first: median(times.slice(0, tenth)), last: median(times.slice(-tenth)), before, after, later };
}

const overFloor = (found, key) => found[key] - found.bare;

/** Measures. `calls` of a turn for the round trip, `flight` at once, and `turns` of `each` calls for the long session. */
export async function measureCalls(lab, { rounds = 9, calls = 20, flight = 1_000, turns = 100, each = 100 } = {}) {
  const page = await lab.open(entry);
  const trip = await measureRoundTrip(page, { rounds, calls });
  const flown = await page.evaluate((how) => globalThis.bench.inFlight(how), { rounds: Math.max(1, Math.ceil(rounds / 3)), calls: flight });
  await page.close();
  const long = {};
  for (const name of ["bare", "memory", "stored"]) long[name] = await measureLong(lab, name, { turns, calls: each });
  const total = (turns * each).toLocaleString("en-US");
  const over = overFloor(trip, "memory");
  const drift = long.memory.last - long.memory.first;
  const flat = (key) => `${names[key]}: ${long[key].first.toFixed(3)} ms a call in the first tenth, ${long[key].last.toFixed(3)} in the last`;
  const stillGrows = (long.memory.later.wasm - long.memory.after.wasm) / 1000;
  const grown = (key, what) => (long[key].after[what] - long[key].before[what]) / 1000;
  return [
    figure({
      id: "round-trip",
      title: "A call there and back, over loopback against the bundled engine",
      where: "chromium",
      unit: "ms",
      better: "less",
      rows: toRows(trip),
      aim: { text: "≤ 0.2 ms over the bare loop", value: over, met: over <= 0.2 },
      notes: [`over the bare loop: ${over.toFixed(3)} ms with records in memory, ${overFloor(trip, "stored").toFixed(3)} ms with the default store`],
    }),
    figure({ id: "in-flight", title: `${flight.toLocaleString("en-US")} calls running at once: time for each until all are settled`, where: "chromium", unit: "ms", better: "less", rows: toRows(flown), notes: ["all were settled"] }),
    figure({
      id: "flat",
      title: `A call in the last tenth of ${total} of one session`,
      where: "chromium",
      unit: "ms",
      better: "less",
      rows: toRows(Object.fromEntries(Object.entries(long).map(([key, { last }]) => [key, last]))),
      aim: { text: "flat: the last tenth takes at most 0.2 ms a call more than the first", value: drift, met: drift <= 0.2 },
      notes: Object.keys(names).map(flat),
    }),
    figure({
      id: "memory-wasm",
      title: `WASM memory that ${total} calls leave behind`,
      where: "chromium",
      unit: "KB",
      better: "less",
      rows: toRows({ memory: grown("memory", "wasm"), stored: grown("stored", "wasm") }),
      aim: { text: "flat: a tenth more calls add nothing", value: stillGrows, met: stillGrows === 0 },
      notes: [`in all, after them: ${Math.round(long.memory.after.wasm / 1000).toLocaleString("en-US")} KB; what is kept of ended calls has a cap of 8,192 of them`],
    }),
    figure({ id: "memory-heap", title: `JavaScript heap that ${total} calls leave behind, after a collection`, where: "chromium", unit: "KB", better: "less", rows: toRows({ memory: grown("memory", "heap"), stored: grown("stored", "heap"), bare: grown("bare", "heap") }) }),
  ];
}
