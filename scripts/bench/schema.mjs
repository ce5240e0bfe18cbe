/**
 * What a schema costs: its compile, and a check of a call from its raw text, in Chromium and in Node, through the
 * public entry `pagehand/schema`. The two schemas are of tools that people ship, from the tests' fixtures.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { at, outDir, pkgDir } from "../lib/paths.mjs";
import { figure } from "./figures.mjs";
import { bundle, publicNames } from "./lab.mjs";

const wanted = { typical: ["mcp-server-fetch", "fetch"], nested: ["excel-mcp-server", "set_sheet_layout"] };

const aims = {
  "compile typical": { text: "≤ 25 µs", most: 25 },
  "check valid nested": { text: "≤ 6 µs", most: 6 },
};

const titles = {
  "compile typical": "compile a typical schema",
  "compile nested": "compile a nested schema with references",
  "check valid typical": "check a valid typical call from its text",
  "check valid nested": "check a valid nested call from its text",
  "check broken typical": "check a broken typical call from its text",
  "check broken nested": "check a broken nested call from its text",
};

function schemas() {
  const lines = readFileSync(at("tests", "fixtures", "tool-schemas.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line));
  const pick = ([source, name]) => lines.find((line) => line.source === source && line.name === name).inputSchema;
  return Object.fromEntries(Object.entries(wanted).map(([kind, tool]) => [kind, pick(tool)]));
}

/** In Node the package finds its WASM files beside itself, so there it is imported and not bundled. */
async function inNode(options) {
  const [made] = await bundle(`export * from "./schema.mjs";`, { platform: "node", plugins: [publicNames(pathToFileURL(`${pkgDir}/`).href)] });
  const file = join(outDir, "bench", "schema-node.mjs");
  mkdirSync(join(outDir, "bench"), { recursive: true });
  writeFileSync(file, made.contents);
  const { measureSchemas } = await import(pathToFileURL(file));
  return measureSchemas(schemas(), options);
}

async function inChromium(lab, options) {
  const page = await lab.open(`import { measureSchemas } from "./schema.mjs"; globalThis.measureSchemas = measureSchemas;`);
  const found = await page.evaluate(([given, how]) => globalThis.measureSchemas(given, how), [schemas(), options]);
  await page.close();
  return found;
}

function toFigures(where, found) {
  return Object.entries(found).map(([what, taken]) => {
    const aim = where === "chromium" && aims[what];
    return figure({
      id: `schema-${what.replaceAll(" ", "-")}-${where}`,
      title: titles[what],
      where,
      unit: "µs",
      better: "less",
      rows: Object.entries(taken).map(([name, value]) => ({ name: name === "ajv" ? "ajv (needs eval)" : name, ours: name === "pagehand", value })),
      aim: aim ? { text: aim.text, value: taken.pagehand, met: taken.pagehand <= aim.most } : null,
    });
  });
}

/** Measures. */
export async function measureSchema(lab, { rounds = 9, sampleMs = 30 } = {}) {
  const options = { rounds, sampleMs };
  return [...toFigures("chromium", await inChromium(lab, options)), ...toFigures("node", await inNode(options))];
}
