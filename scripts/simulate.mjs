/**
 * `npm run simulate -- SEEDS [FROM]`: many seeds of the exactly-once simulation, in release mode.
 * A seed that fails prints its log; `SEED=n npm run simulate` replays that one alone.
 */
import { job } from "./lib/run.mjs";
import { main } from "./lib/step.mjs";

const [seeds = "20000", from = "1"] = process.argv.slice(2);

await main(async () => {
  const args = ["test", "--release", "--test", "simulation", "every_call", "--", "--nocapture"];
  await job("cargo", args, { log: "simulate", echo: true, env: { SEEDS: seeds, FROM: from } });
});
