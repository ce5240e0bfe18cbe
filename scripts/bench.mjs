/**
 * Measures, and asserts nothing: `npm run bench` prints a table and writes `.tools/out/bench.json`. Contenders run in turns
 * within one process, and what counts is their ratio: times alone are the machine's.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { outDir } from "./lib/paths.mjs";
import { main } from "./lib/step.mjs";
import { setup } from "./setup.mjs";

await main(async () => {
  await setup(["build", "browser"]);
  await build();
  const { measurePage } = await import("./bench/page.mjs");
  const page = await measurePage();
  const line = (what, figure, note) => console.log(`  ${what.padEnd(14)}${figure.toFixed(1).padStart(9)}  ${note}`);
  console.log(`reading a page of ${page.elements} elements, medians of ${page.rounds} rounds:`);
  line("read_page", page.readMs, `ms, in slices; the longest task: ${page.longestTaskMs === 0 ? "under 50" : page.longestTaskMs} ms`);
  line("a walk in JS", page.walkMs, "ms, in one go, without names, refs, masks or what covers what");
  line("ratio", page.ratio, "");
  mkdirSync(outDir, { recursive: true });
  writeFileSync(join(outDir, "bench.json"), `${JSON.stringify({ page }, null, 2)}\n`);
});
