/**
 * Contenders in turns: each round runs every one of them once, in an order that changes from round to round, so that
 * whatever slows the machine slows all. Runs in a page and in Node alike; knows nothing of what it measures.
 */

/** The value in the middle. */
export function median(values) {
  const sorted = [...values].sort((one, other) => one - other);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

async function timed(run, times) {
  const start = performance.now();
  for (let at = 0; at < times; at += 1) {
    const pending = run();
    if (pending instanceof Promise) await pending;
  }
  return performance.now() - start;
}

/** How often to run so that one sample takes `sampleMs`; finding out warms the code up as well. */
async function repetitions(run, sampleMs) {
  for (let times = 1; ; times *= 2) {
    const took = await timed(run, times);
    if (took >= sampleMs / 2) return Math.max(1, Math.round((times * sampleMs) / took));
  }
}

/**
 * Measures. A contender is `{ name, run }`; the median time of one run in milliseconds comes back under its name.
 * `run` may return a promise, which is awaited.
 */
export async function inTurns(contenders, { rounds, sampleMs }) {
  const times = new Map();
  for (const { name, run } of contenders) times.set(name, await repetitions(run, sampleMs));
  const samples = new Map(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const order = contenders.map((_, at) => contenders[(at + round) % contenders.length]);
    for (const { name, run } of order) {
      const count = times.get(name);
      samples.get(name).push((await timed(run, count)) / count);
      // A breath between, in which garbage may go and a page may live.
      await new Promise((resolve) => setTimeout(resolve));
    }
  }
  return Object.fromEntries([...samples].map(([name, values]) => [name, median(values)]));
}
