/** One list of codes for Rust and TypeScript. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { current, readCodes, render } from "../../scripts/codes.mjs";

it("is what the Rust table says", () => {
  const checkedIn = readFileSync(new URL("../../src/js/codes.ts", import.meta.url), "utf8");
  expect(checkedIn, "run `node scripts/codes.mjs`").toBe(current());
});

it("would notice a code that was added in Rust", () => {
  const rust = '\ncodes! {\n    /// One.\n    One = "one", Load;\n    /// Two.\n    Two = "two", Use;\n}';
  expect(readCodes(rust).map((row) => row.code)).toEqual(["one", "two"]);
  expect(render(readCodes(rust), "1.2.3")).toContain('| "two"');
  expect(() => readCodes('\ncodes! {\n    One = "one", Load;\n}')).toThrow(/1 codes, 0 understood/);
});
