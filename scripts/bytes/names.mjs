/**
 * The names of a shipped file's functions, which the file itself no longer has: the optimiser wrote them aside, as lines
 * of `index:name` with every odd character as `\xx`.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { outDir } from "../lib/paths.mjs";
import { Failure } from "../lib/run.mjs";

/** Index to name, of a symbol map's text. */
export function parseNames(map) {
  const names = new Map();
  for (const line of map.split("\n").filter(Boolean)) {
    const cut = line.indexOf(":");
    names.set(Number(line.slice(0, cut)), line.slice(cut + 1).replaceAll(/\\([0-9a-f]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16))));
  }
  return names;
}

/** The map that the build kept for a file. */
export function namesOf(name) {
  const file = join(outDir, name, "names.txt");
  if (!existsSync(file)) throw new Failure(`the names of ${name}'s functions are not there`, `\`npm run build -- ${name} --force\` writes ${file}`);
  return parseNames(readFileSync(file, "utf8"));
}
