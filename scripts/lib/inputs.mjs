/**
 * Content hashes that let a step be skipped: a stamp holds the hash of what a result was made from.
 * Times are never trusted, since a checkout changes them. A missing input counts as changed, not as an error.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { root } from "./paths.mjs";

/** All files under a folder, sorted; none when there is no such folder. */
export function filesUnder(folder, wanted = () => true) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter(wanted)
    .sort();
}

/** One hash over files (path and bytes) and other facts. */
export function hashOf(files, facts = []) {
  const hash = createHash("sha256").update(JSON.stringify(facts));
  for (const file of files) {
    hash.update(`\0${relative(root, file)}\0`);
    hash.update(existsSync(file) ? readFileSync(file) : "missing");
  }
  return hash.digest("hex");
}

/** Reads a JSON stamp, or null. */
export function readStamp(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

/** Writes a JSON stamp. */
export function writeStamp(path, value) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(value));
}
