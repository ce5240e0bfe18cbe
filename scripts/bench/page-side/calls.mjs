/**
 * Calls from the engine to a tool and back, by a runtime and by the bare loop. Runs in a page; whoever calls it says
 * against which engine. Every call must be settled, or the run is an error.
 */
import { createRuntime, tool } from "pagehand";
import { bareSession } from "./bare.mjs";
import { median } from "./rounds.mjs";
import { silentEngine } from "./silent-engine.mjs";

const input = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };

/** A session of ours, with the same face as the bare one. */
async function ourSession({ engine, token, send, storage, execute, tuning }) {
  const echo = tool({ name: "echo", input, annotations: { readOnly: true }, execute });
  const runtime = await createRuntime({ engine, agent: "shop", token: () => token, tools: [echo], session: "new", storage, fetch: send, tuning });
  const run = async (text) => {
    const { status, error } = await runtime.send(text).finished;
    if (status !== "completed") throw new Error(`a turn ended as ${status}: ${JSON.stringify(error)}`);
  };
  return { run, close: () => runtime.close() };
}

const answer = ({ n }) => ({ ok: n });

const sessions = {
  bare: (given) => bareSession({ execute: answer, ...given }),
  memory: (given) => ourSession({ execute: answer, storage: "memory", ...given }),
  stored: (given) => ourSession({ execute: answer, storage: "indexeddb", ...given }),
};

/** Milliseconds a call takes in a turn of calls one after another, by who answers. Each sample has a new session. */
export async function roundTrips(given, { rounds, calls }) {
  const samples = Object.fromEntries(Object.keys(sessions).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, open] of Object.entries(sessions)) {
      const session = await open(given);
      await session.run("warm");
      const start = performance.now();
      await session.run("sequence");
      samples[name].push((performance.now() - start) / calls);
      await session.close();
    }
  }
  return Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, median(values)]));
}

/** Milliseconds a call takes of this many that are all running at once: no handler ends before all have begun. */
export async function inFlight({ rounds, calls }) {
  const samples = { bare: [], memory: [], stored: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const name of Object.keys(samples)) {
      const engine = silentEngine();
      let running = 0;
      let release;
      const all = new Promise((resolve) => (release = resolve));
      const execute = async ({ n }) => {
        running += 1;
        if (running === calls) release();
        await all;
        return { ok: n };
      };
      const session = await sessions[name]({ engine: "https://engine.test", token: "t", send: engine.send, execute, tuning: { maxRunning: calls, maxOpenCalls: calls } });
      const start = performance.now();
      await session.run(`calls ${calls}`);
      samples[name].push((performance.now() - start) / calls);
      if (engine.settled.calls !== calls || engine.settled.refused !== 0) throw new Error(`${name}: of ${calls} calls ${engine.settled.calls} were settled, ${engine.settled.refused} answers refused`);
      await session.close();
    }
  }
  return Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, median(values)]));
}

/** A long session, turn by turn: `next(turns, calls)` runs so many turns of so many calls and gives their times. */
export async function longSession(name) {
  const engine = silentEngine();
  const session = await sessions[name]({ engine: "https://engine.test", token: "t", send: engine.send });
  let before = 0;
  return {
    async next(turns, calls) {
      const times = [];
      for (let turn = 0; turn < turns; turn += 1) {
        const start = performance.now();
        await session.run(`calls ${calls}`);
        times.push((performance.now() - start) / calls);
      }
      before += turns * calls;
      if (engine.settled.calls !== before) throw new Error(`${name}: of ${before} calls ${engine.settled.calls} were settled`);
      return times;
    },
    close: () => session.close(),
  };
}
