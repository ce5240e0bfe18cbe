/**
 * Reads how many tests a runner ran from what it printed: { passed, failed, skipped }.
 * It knows cargo test and wasm-bindgen's runner (same closing line), Node's runner, and Vitest's JSON report.
 * A runner that printed no count ran no test, and that is for the caller to refuse.
 */
const none = { passed: 0, failed: 0, skipped: 0 };

/** Adds two counts. */
export const plus = (left, right) => ({ passed: left.passed + right.passed, failed: left.failed + right.failed, skipped: left.skipped + right.skipped });

/** `test result: ok. 12 passed; 0 failed; 1 ignored; …`, once per test binary. */
export function countCargo(output) {
  const lines = [...output.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/gm)];
  return lines.map(([, passed, failed, skipped]) => ({ passed: +passed, failed: +failed, skipped: +skipped })).reduce(plus, none);
}

/** `# pass 12` or `ℹ pass 12`, with fail, cancelled, skipped and todo beside it. */
export function countNode(output) {
  const sum = (...words) => words.map((word) => [...output.matchAll(new RegExp(`^(?:#|ℹ) ${word} (\\d+)`, "gm"))].reduce((total, match) => total + +match[1], 0)).reduce((left, right) => left + right);
  return { passed: sum("pass"), failed: sum("fail", "cancelled"), skipped: sum("skipped", "todo") };
}

/** The files of the tests that failed, as Node's spec reporter lists them at its end. */
export function failedFiles(output) {
  return [...new Set([...output.matchAll(/^test at (.+?):\d+:\d+$/gm)].map(([, file]) => file))];
}

/** Vitest's JSON report. */
export function countVitest(report) {
  return { passed: report.numPassedTests, failed: report.numFailedTests, skipped: report.numPendingTests + (report.numTodoTests ?? 0) };
}
