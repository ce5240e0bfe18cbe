/**
 * Measures, and asserts nothing: `npm run bench [-- PART…] [--markdown] [--quick]` prints tables and writes
 * `.tools/out/bench.json`, of which `www/bench.html` makes charts. Contenders run in turns within one run, and what
 * counts is their ratio: times alone are the machine's. Parts that are not run keep the figures of the run before.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { readStamp } from "./lib/inputs.mjs";
import { at, outDir } from "./lib/paths.mjs";
import { Failure } from "./lib/run.mjs";
import { main } from "./lib/step.mjs";
import { setup } from "./setup.mjs";

const file = join(outDir, "bench.json");
const docs = at("docs", "performance.md");

await main(async () => {
  const args = process.argv.slice(2);
  await setup(["build", "browser"], { quiet: true });
  await build();
  const { parts, runSuite } = await import("./bench/suite.mjs");
  const { between, table } = await import("./bench/report.mjs");
  const wanted = args.filter((arg) => !arg.startsWith("-"));
  const unknown = wanted.find((name) => !(name in parts));
  if (unknown) throw new Failure(`there is no part named ${unknown}`, `there are ${Object.keys(parts).join(", ")}`);
  mkdirSync(outDir, { recursive: true });
  const told = (name, ms, found) => {
    console.log(`${table(found.parts[name])}\n  (${name}: ${(ms / 1000).toFixed(0)} s)`);
    // Part by part: what was measured stays, whatever becomes of the rest.
    writeFileSync(file, `${JSON.stringify({ ...found, parts: { ...readStamp(file)?.parts, ...found.parts } }, null, 2)}\n`);
  };
  const found = await runSuite(wanted.length ? wanted : undefined, { quick: args.includes("--quick"), told });
  const aims = Object.values(found.parts).flatMap((part) => part.figures).filter((figure) => figure.aim);
  console.log(`\n${aims.filter(({ aim }) => aim.met).length} of ${aims.length} aims are met. The charts: \`npm start\`, then /bench.html`);
  if (args.includes("--markdown")) writeFileSync(docs, between(readFileSync(docs, "utf8"), found));
});
