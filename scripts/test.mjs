/**
 * `npm test`: every check and test, cheapest first; `npm test -- NAME…` runs some (names or groups, see stages.mjs).
 * A stage that fails ends the run with how to repeat it alone. The last line is `N passed, 0 failed`, over all runners.
 */
import { build } from "./build.mjs";
import { elapsed } from "./lib/alive.mjs";
import { Failure } from "./lib/run.mjs";
import { main } from "./lib/step.mjs";
import { setup } from "./setup.mjs";
import { stages, total } from "./test/stages.mjs";

function chosen(names) {
  const unknown = names.find((name) => !stages.some((stage) => [stage.name, stage.group].includes(name)));
  if (unknown) {
    throw new Failure(`there is no stage named ${unknown}`, `stages: ${stages.map((stage) => stage.name).join(", ")}; groups: ${[...new Set(stages.map((stage) => stage.group))].join(", ")}`);
  }
  return names.length ? stages.filter((stage) => names.includes(stage.name) || names.includes(stage.group)) : stages;
}

/** Runs one stage; resolves to its count. A stage whose files are gone fails: silence must not look like success. */
async function runStage(stage) {
  const start = Date.now();
  console.log(`\n━━ ${stage.name}: ${stage.title}`);
  const missing = stage.missing?.();
  if (missing) throw new Failure(`${missing} is missing`, "these tests are part of the repository: check it out again");
  const result = await stage.run();
  const count = stage.counts ? result : total([]);
  if (stage.counts && count.passed + count.failed === 0) throw new Failure("the runner ran no test", "look at its output above");
  if (count.failed) throw new Failure(`${count.failed} tests failed`, "look at the output above");
  console.log(`━━ ${stage.name}: ok${stage.counts ? `, ${count.passed} passed${count.skipped ? `, ${count.skipped} skipped` : ""}` : ""} (${elapsed(start)})`);
  return count;
}

await main(async () => {
  const start = Date.now();
  const list = chosen(process.argv.slice(2));
  const parts = [...new Set(list.flatMap((stage) => stage.needs))];
  if (parts.length) await setup(parts);
  const counts = [];
  let built = false;
  for (const stage of list) {
    try {
      if (stage.built && !built) await build();
      built = built || stage.built || stage.name === "build";
      counts.push(await runStage(stage));
    } catch (error) {
      console.error(`\n━━ ${stage.name}: FAILED. Alone: npm test -- ${stage.name}`);
      throw error;
    }
  }
  const { passed, failed, skipped } = total(counts);
  console.log(`\nAll stages passed (${elapsed(start)}${skipped ? `; ${skipped} tests skipped` : ""}).`);
  console.log(`${passed} passed, ${failed} failed`);
});
