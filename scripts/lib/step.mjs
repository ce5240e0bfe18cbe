/**
 * One step of the set-up or the build: says what it does, is skipped when done, tells how long it took.
 * A step is `{ title, done, run }`: `done()` returns why there is nothing to do, or null; `run()` does it and
 * may return a sentence. A failure is reported once, with what to do, and ends the program.
 */
import { elapsed } from "./alive.mjs";
import { Failure } from "./run.mjs";

/** Runs one step; `force` ignores what `done` says. */
export async function step({ title, done, run, verify }, { force = false, quiet = false } = {}) {
  const start = Date.now();
  const why = force ? null : await done();
  if (why) {
    if (!quiet) console.log(`✓ ${title}: ${why} (${elapsed(start)})`);
    return false;
  }
  console.log(`▸ ${title}`);
  const said = await run();
  if (verify) {
    const wrong = await verify();
    if (wrong) throw new Failure(`${title}: ${wrong}`, "This is a fault of the scripts: please report it with the lines above.");
  }
  console.log(`✓ ${title}${said ? `: ${said}` : ""} (${elapsed(start)})`);
  return true;
}

/** Runs a program's main function; prints a failure with its advice and sets the exit code. */
export async function main(body) {
  try {
    await body();
  } catch (error) {
    console.error(`\n✗ ${error instanceof Failure ? error.message : (error?.stack ?? error)}`);
    if (error?.advice) console.error(`\n  What to do: ${error.advice}`);
    process.exitCode = 1;
  }
}
