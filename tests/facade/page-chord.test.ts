/** Keys by their names, as the press tool takes them. */
import { expect, test } from "vitest";
import { type Chord, readKey } from "../../pkg/page-chord.js";

const seen = (text: string) => {
  const { key, code, keyCode } = readKey(text) as Chord;
  return [key, code, keyCode];
};

test("keys are told as a keyboard tells them", () => {
  expect(seen("Enter")).toEqual(["Enter", "Enter", 13]);
  expect(seen("esc")).toEqual(["Escape", "Escape", 27]);
  expect(seen("a")).toEqual(["a", "KeyA", 65]);
  expect(seen("Shift+a")).toEqual(["A", "KeyA", 65]);
  expect(seen("Space")).toEqual([" ", "Space", 32]);
  expect(seen("7")).toEqual(["7", "Digit7", 55]);
  expect(seen("+")).toEqual(["+", "", 0]);
  expect(seen("Control++")[0]).toBe("+");
  expect(seen("left")).toEqual(["ArrowLeft", "ArrowLeft", 37]);
  expect(seen("F12")).toEqual(["F12", "F12", 123]);
  expect(seen("é")[0]).toBe("é");
  expect(readKey("ctrl+A")).toMatchObject({ ctrlKey: true, shiftKey: true, key: "A" });
  expect(readKey("Alt+Meta+arrowdown")).toMatchObject({ altKey: true, metaKey: true, key: "ArrowDown", keyCode: 40 });
});

test("what is no key is named", () => {
  expect(readKey("Fly+a")).toContain('"Fly"');
  expect(readKey("Entr")).toContain('"Entr"');
  for (const text of ["", "__proto__", "constructor", "toString"]) expect(readKey(text)).toContain("is no key");
  expect(readKey(`${"x".repeat(5_000)}\n`)).toSatisfy((words) => typeof words === "string" && words.length < 200);
});
