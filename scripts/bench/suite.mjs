/**
 * The parts of the benchmark, by the names that `npm run bench -- NAME…` takes, each with what a quick run of it does:
 * enough to see that it works, too little for a figure.
 */
import { cpus } from "node:os";
import { measureCalls } from "./calls.mjs";
import { measureCold } from "./cold.mjs";
import { measureDeltas } from "./deltas.mjs";
import { startLab } from "./lab.mjs";
import { measureReading } from "./page.mjs";
import { measureRuns } from "./runs.mjs";
import { measureSchema } from "./schema.mjs";
import { measureStreams } from "./sse.mjs";

export const parts = {
  sse: { title: "Event streams", measure: measureStreams, quick: { megabytes: 0.2, rounds: 1, sampleMs: 2, variants: ["shipped"] } },
  schema: { title: "Schemas", measure: measureSchema, quick: { rounds: 1, sampleMs: 2 } },
  cold: { title: "Cold start and first load", measure: measureCold, quick: { rounds: 1 } },
  calls: { title: "Calls", measure: measureCalls, quick: { rounds: 1, calls: 3, flight: 20, turns: 10, each: 5 } },
  runs: { title: "Calls where the conversation is sent again", measure: measureRuns, quick: { rounds: 1, calls: 3 } },
  deltas: { title: "A page under deltas", measure: measureDeltas, quick: { megabytes: 1, rounds: 1 } },
  page: { title: "Page tools", measure: measureReading, quick: { rows: 50, rounds: 2 } },
};

/** Runs parts, all of them if none is named. `told` hears of each when it is done, and of all that was found so far. */
export async function runSuite(names = Object.keys(parts), { quick = false, told = () => undefined } = {}) {
  const lab = await startLab();
  try {
    const machine = { browser: `Chromium ${lab.context.browser().version()}`, node: process.version, cores: cpus().length, cpu: cpus()[0].model.trim() };
    const found = { when: new Date().toISOString(), machine, parts: {} };
    for (const name of names) {
      const { title, measure, quick: little } = parts[name];
      const start = Date.now();
      found.parts[name] = { title, figures: await measure(lab, quick ? little : {}) };
      told(name, Date.now() - start, found);
    }
    return found;
  } finally {
    await lab.close();
  }
}
