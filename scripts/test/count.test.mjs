/** The counters decide what CI believes, so each is held against real closing lines of its runner. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { countCargo, countNode, countVitest, failedFiles } from "./count.mjs";

test("cargo's closing lines of several binaries are added up", () => {
  const output = "running 3 tests\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n\ntest result: FAILED. 4 passed; 1 failed; 0 ignored; 0 measured\n";
  assert.deepEqual(countCargo(output), { passed: 6, failed: 1, skipped: 1 });
});

test("a test's own output inside a line is not taken for a closing line", () => {
  assert.deepEqual(countCargo('printed "test result: ok. 9 passed; 0 failed; 0 ignored"'), { passed: 0, failed: 0, skipped: 0 });
});

test("Node's summary counts cancelled tests as failed, in both of its spellings", () => {
  assert.deepEqual(countNode("ℹ tests 5\nℹ pass 3\nℹ fail 0\nℹ cancelled 1\nℹ skipped 1\nℹ todo 0\n"), { passed: 3, failed: 1, skipped: 1 });
  assert.deepEqual(countNode("# pass 3\n# fail 2\n# cancelled 0\n# skipped 0\n# todo 0\n"), { passed: 3, failed: 2, skipped: 0 });
});

test("Vitest's report is read by its totals", () => {
  assert.deepEqual(countVitest({ numPassedTests: 7, numFailedTests: 1, numPendingTests: 2, numTodoTests: 1 }), { passed: 7, failed: 1, skipped: 3 });
});

test("the files of failed tests are listed once each", () => {
  const output = "✔ fine (1 ms)\n✖ failing tests:\n\ntest at tests/browser/tabs.test.mjs:12:1\n✖ one (3 ms)\n  at file:///x.mjs:1:1\n\ntest at tests/browser/tabs.test.mjs:40:1\n✖ two (3 ms)\n\ntest at tests/browser/page/act.test.mjs:1:1\n✖ tests/browser/page/act.test.mjs (9 ms)\n";
  assert.deepEqual(failedFiles(output), ["tests/browser/tabs.test.mjs", "tests/browser/page/act.test.mjs"]);
  assert.deepEqual(failedFiles("✔ fine (1 ms)\nℹ fail 0\n"), []);
});
