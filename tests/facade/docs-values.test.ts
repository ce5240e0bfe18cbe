/** Each row of `docs/values.md` has a test case under the same label, and each case a row: the document cannot drift. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ARGUMENTS, INVALID_UTF8, LARGE_ARGUMENTS } from "../values/arguments.ts";
import { DOM } from "../values/dom.js";
import { RESULTS } from "../values/results.ts";

const text = readFileSync(new URL("../../docs/values.md", import.meta.url), "utf8");

/** The first cells of the table under a heading. */
function rows(heading: string): string[] {
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  const lines = section.split("\n").filter((line) => line.startsWith("| "));
  return lines.slice(2).map((line) => line.split(" | ")[0]?.slice(2) ?? "");
}

it.each<[string, string[]]>([
  ["Results", [...RESULTS, ...DOM].map((one) => one.row)],
  ["Arguments", [...ARGUMENTS, ...LARGE_ARGUMENTS, INVALID_UTF8].map((one) => one.row)],
])("%s: the rows of the document are those of the tests", (heading, tested) => {
  const documented = rows(heading);
  expect(documented.length).toBeGreaterThan(10);
  expect(new Set(documented).size).toBe(documented.length);
  expect([...new Set(tested)].sort()).toEqual([...documented].sort());
});
