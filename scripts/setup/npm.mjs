/**
 * The steps for Node and the npm packages: a Node that is new enough, and `node_modules` as the lock file says.
 * The stamp is the lock file's hash, so that a pull with a changed lock file installs again by itself.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withLock } from "../lib/lock.mjs";
import { at, toolsDir } from "../lib/paths.mjs";
import { Failure, job } from "../lib/run.mjs";

const oldestNode = 20;
const stamp = at("node_modules", ".pagehand-stamp");
const wanted = () => createHash("sha256").update(readFileSync(at("package-lock.json"))).digest("hex");

export const nodeStep = {
  title: "Node",
  done: () => (Number.parseInt(process.versions.node, 10) >= oldestNode ? process.versions.node : null),
  run() {
    throw new Failure(`this is Node ${process.versions.node}`, `install Node ${oldestNode} or newer`);
  },
};

const done = () => (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted() ? "as the lock file says" : null);

export const npmStep = {
  title: "npm packages",
  done,
  run: () =>
    withLock(join(toolsDir, "npm.lock"), async () => {
      if (done()) return;
      // Without scripts: our own `prepack` builds, and no package here needs an install step.
      await job("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { log: "npm-ci", advice: "see whether npm reaches its registry; `npm ci` shows the same failure" });
      writeFileSync(stamp, wanted());
    }),
};
