/**
 * A lock file with the holder's process id: one holder at a time, others wait and say so.
 * A lock whose holder is gone is taken over. It protects set-up steps only, so it may poll.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

function holder(path) {
  try {
    return Number.parseInt(readFileSync(path, "utf8"), 10);
  } catch {
    return Number.NaN;
  }
}

function running(processId) {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Runs `body` while holding the lock at `path`. */
export async function withLock(path, body) {
  mkdirSync(dirname(path), { recursive: true });
  let told = false;
  for (;;) {
    try {
      writeFileSync(path, String(process.pid), { flag: "wx" });
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const processId = holder(path);
    if (Number.isNaN(processId)) {
      // Just being written, or left empty by a crash: look again before taking it over.
      await sleep(300);
      if (Number.isNaN(holder(path))) rmSync(path, { force: true });
      continue;
    }
    if (!running(processId)) {
      rmSync(path, { force: true });
      continue;
    }
    if (!told) console.log(`    another run (process ${processId}) is doing this; waiting for it`);
    told = true;
    await sleep(500);
  }
  const release = () => rmSync(path, { force: true });
  process.once("exit", release);
  try {
    return await body();
  } finally {
    process.removeListener("exit", release);
    release();
  }
}
