/** The set-up's foundations: locks that cannot hang, hashes that see every change, failures that say what to do. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { hashOf, readStamp, writeStamp } from "./inputs.mjs";
import { withLock } from "./lock.mjs";
import { Failure, job } from "./run.mjs";
import { step } from "./step.mjs";

const folder = mkdtempSync(join(tmpdir(), "pagehand-lib-"));

test("a lock admits one holder at a time and is gone afterwards", async () => {
  const path = join(folder, "one.lock");
  const order = [];
  const hold = (name) => withLock(path, async () => {
    order.push(`${name} in`);
    await sleep(50);
    order.push(`${name} out`);
  });
  await Promise.all([hold("a"), hold("b")]);
  assert.deepEqual(order, ["a in", "a out", "b in", "b out"]);
  assert.equal(existsSync(path), false);
});

test("a lock whose holder is dead, or left empty by a crash, is taken over", async () => {
  for (const content of ["999999999", ""]) {
    const path = join(folder, `stale${content.length}.lock`);
    writeFileSync(path, content);
    assert.equal(await withLock(path, async () => "in"), "in");
  }
});

test("a lock is released when its body throws", async () => {
  const path = join(folder, "throws.lock");
  await assert.rejects(withLock(path, async () => Promise.reject(new Error("no"))), /no/);
  assert.equal(existsSync(path), false);
});

test("a hash changes with a file's bytes, its absence, and the facts beside it", () => {
  const path = join(folder, "input");
  const missing = hashOf([path]);
  writeFileSync(path, "one");
  const one = hashOf([path]);
  writeFileSync(path, "two");
  assert.equal(new Set([missing, one, hashOf([path]), hashOf([path], ["flag"])]).size, 4);
});

test("a stamp comes back as written, and a broken one counts as none", () => {
  const path = join(folder, "deep", "stamp.json");
  assert.equal(readStamp(path), null);
  writeStamp(path, { sources: "abc" });
  assert.deepEqual(readStamp(path), { sources: "abc" });
  writeFileSync(path, "{");
  assert.equal(readStamp(path), null);
});

test("a failed job's error holds its output, its log's path and what to do", async () => {
  const failing = job(process.execPath, ["-e", "console.log('half way'); process.exit(3)"], { log: "selftest-fails", advice: "mend it" });
  const error = await failing.then(() => null, (one) => one);
  assert.ok(error instanceof Failure);
  assert.match(error.message, /ended with 3[^]*half way[^]*selftest-fails\.log/);
  assert.equal(error.advice, "mend it");
});

test("a job that never ends is stopped at its limit, and one that does not exist fails", async () => {
  await assert.rejects(job(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { log: "selftest-hangs", timeoutMs: 300 }), /gave no end within 0.3 s/);
  await assert.rejects(job("no-such-program-here", [], { log: "selftest-missing" }), /ENOENT/);
});

test("a step that is done does not run, and one that leaves nothing behind is a failure", async () => {
  assert.equal(await step({ title: "x", done: () => "there", run: () => assert.fail("ran") }, { quiet: true }), false);
  await assert.rejects(step({ title: "x", done: () => null, run: () => undefined, verify: () => "nothing was made" }), /nothing was made/);
});
