/**
 * Where things are, relative to the repository root.
 * Holds paths only: it reads nothing, and nothing else here may build a path to these places by hand.
 */
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository root. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** A path under the root. */
export const at = (...parts) => join(root, ...parts);

/** Tools built for this repository alone; git ignores the folder. */
export const toolsDir = at(".tools");
export const toolsBin = at(".tools", "bin");
export const logsDir = at(".tools", "logs");
export const outDir = at(".tools", "out");
export const npmBin = at("node_modules", ".bin");
export const pkgDir = at("pkg");

/** Cargo's target folder: the environment may move it, as it does for cargo itself. */
export const targetDir = resolve(root, process.env.CARGO_TARGET_DIR || "target");
