/**
 * How fast bytes of an event stream become frames, in Node and in Chromium: our parser as it ships, without SIMD
 * and compiled for speed, beside eventsource-parser and a reader written by hand.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { benchDir, buildBenchWasm } from "./wasm.mjs";
import { figure } from "./figures.mjs";
import { measureSse } from "./page-side/sse.mjs";

const titles = {
  count: "frames counted",
  tools: "tool frames decoded, deltas passed over",
  objects: "every frame to a JS object",
  all: "every frame decoded, deltas too",
};

/** How many times the peer each task should reach, by chunk size. */
const aims = { "count 16384": 8, "tools 16384": 5, "tools 64": 10, "objects 16384": 1.2 };

const ownNames = { shipped: "pagehand, as it ships", plain: "pagehand without SIMD", speed: "pagehand for speed" };

async function inNode(names, options) {
  const wasm = {};
  for (const name of names) {
    const glue = await import(pathToFileURL(join(benchDir, name, "bench.js")));
    glue.initSync({ module: readFileSync(join(benchDir, name, "bench_bg.wasm")) });
    wasm[name] = glue;
  }
  return measureSse(wasm, options);
}

async function inChromium(lab, names, options) {
  for (const name of names) {
    lab.put(`/bench/${name}.js`, "text/javascript", readFileSync(join(benchDir, name, "bench.js")));
    lab.put(`/bench/${name}.wasm`, "application/wasm", readFileSync(join(benchDir, name, "bench_bg.wasm")));
  }
  const page = await lab.open(`import { measureSse } from "./sse.mjs"; globalThis.measureSse = measureSse;`);
  const figures = await page.evaluate(
    async ([wanted, given]) => {
      const wasm = {};
      for (const name of wanted) {
        wasm[name] = await import(`/bench/${name}.js`);
        await wasm[name].default({ module_or_path: `/bench/${name}.wasm` });
      }
      return globalThis.measureSse(wasm, given);
    },
    [names, options],
  );
  await page.close();
  return figures;
}

function toFigures(where, found) {
  return Object.entries(found).flatMap(([task, bySize]) =>
    Object.entries(bySize).map(([size, rates]) => {
      const rows = Object.entries(rates).map(([name, value]) => ({ name: ownNames[name] ?? name, ours: name in ownNames, value }));
      const peer = rates["eventsource-parser"];
      const own = Object.keys(ownNames).filter((name) => name in rates);
      const times = aims[`${task} ${size}`];
      const shipped = rates[own[0]];
      return figure({
        id: `sse-${task}-${size}-${where}`,
        title: `SSE, ${size === "64" ? "64-byte" : `${Number(size) / 1024} KiB`} chunks: ${titles[task]}`,
        where,
        unit: "MB/s",
        better: "more",
        rows,
        aim: where === "chromium" && times ? { text: `≥ ${times}x eventsource-parser`, value: shipped / peer, met: shipped / peer >= times } : null,
        notes: own.slice(1).map((name) => `${ownNames[name]}: ${(rates[name] / peer).toFixed(2)}x the peer`),
      });
    }),
  );
}

/** Measures. `variants` are the WASM files' names; see wasm.mjs. */
export async function measureStreams(lab, { megabytes = 4, rounds = 7, sampleMs = 60, variants = ["shipped", "plain", "speed"], ...more } = {}) {
  await buildBenchWasm(variants);
  const options = { megabytes, rounds, sampleMs, ...more };
  return [...toFigures("chromium", await inChromium(lab, variants, options)), ...toFigures("node", await inNode(variants, options))];
}
