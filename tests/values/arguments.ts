/**
 * The table of arguments: what the model writes, and what the handler gets of it or the model reads instead. Each case
 * belongs to a row of `docs/values.md`, by the row's label.
 */

/** One text of arguments and its end. */
export interface ArgumentCase {
  /** The label of the row in `docs/values.md`. */
  row: string;
  /** What tells it from the other cases of the row. */
  name?: string;
  /** The arguments as the model wrote them. */
  text: string;
  /** What the handler gets. */
  gets?: unknown;
  /** The same with `numbers: "number"`, where it differs. */
  rounded?: unknown;
  /** What the model reads instead. */
  error?: RegExp;
}

const integer = (literal: string, rounded: number): ArgumentCase => ({
  row: "An integer of more than 2^53", name: literal, text: `{"n":${literal}}`, gets: { n: BigInt(literal) }, rounded: { n: rounded },
});
const number = (row: string, literal: string, n: number): ArgumentCase => ({ row, name: literal, text: `{"n":${literal}}`, gets: { n } });
const own = (key: string): ArgumentCase => ({
  row: "A key that objects have, such as `__proto__` or `constructor`",
  name: key,
  text: `{"${key}":{"polluted":true},"in":{"${key}":1}}`,
  gets: JSON.parse(`{"${key}":{"polluted":true},"in":{"${key}":1}}`),
});
const malformed = (row: string, name: string, text: string, error: RegExp): ArgumentCase => ({ row, name, text, error });
const infinite = (literal: string) =>
  malformed("A number no double can hold", literal.slice(0, 8), `{"n":[${literal}]}`, /^invalid tool arguments: a number too large to be held: send one between -1\.79e308 and 1\.79e308 \(line 1, column 7, /);

/** Every case. */
export const ARGUMENTS: ArgumentCase[] = [
  number("An integer up to 2^53", "9007199254740991", 2 ** 53 - 1),
  number("An integer up to 2^53", "-42", -42),
  integer("9007199254740992", 2 ** 53),
  integer("9007199254740993", 2 ** 53),
  integer("-9007199254740993", -(2 ** 53)),
  integer("9223372036854775808", 2 ** 63),
  integer("18446744073709551616", 2 ** 64),
  integer("123456789012345678901234567890", 123456789012345678901234567890),
  number("A number with a point or an exponent", "0.1", 0.1),
  number("A number with a point or an exponent", "1E5", 100_000),
  number("A number with a point or an exponent", "12.0", 12),
  number("A number with a point or an exponent", "12e-1", 1.2),
  number("A number with a point or an exponent", "9007199254740993.0", 2 ** 53),
  number("A number with a point or an exponent", "9007199254740993e0", 2 ** 53),
  number("A number with a point or an exponent", "1.7976931348623157e308", Number.MAX_VALUE),
  number("A number with a point or an exponent", "1e-400", 0),
  number("`-0`", "-0", -0),
  infinite("1e400"),
  infinite("-1e309"),
  infinite("9".repeat(310)),
  own("__proto__"),
  own("constructor"),
  own("prototype"),
  own("toString"),
  { row: "The same key twice", text: '{"a":1,"b":2,"a":3}', gets: { a: 3, b: 2 } },
  { row: "An escaped lone surrogate", text: '{"a":"x\\ud800y"}', gets: { a: "x\ud800y" } },
  { row: "`\\u0000` in a string", text: '{"a":"x\\u0000y"}', gets: { a: "x\0y" } },
  { row: "No text, white space, `null`", name: "no text", text: "", gets: {} },
  { row: "No text, white space, `null`", name: "white space", text: " \n\t", gets: {} },
  { row: "No text, white space, `null`", name: "null", text: "null", gets: {} },
  malformed("JSON that is no object", "an array", "[1]", /^invalid tool arguments: arguments must be a JSON object, got an array$/),
  malformed("JSON that is no object", "a string", '"x"', /got a string$/),
  malformed("JSON that is no object", "an object in a string", '"{\\"a\\":1}"', /got a string that holds one; send the object itself, not in quotes$/),
  malformed("JSON that is cut", "in an object", '{"path":"a","limit":100', /JSON is cut short: the text ends inside the object opened at line 1, column 1 \(line 1, column 24, /),
  malformed("JSON that is cut", "in a string", '{"path":"a', /JSON is cut short: the text ends inside the string opened at line 1, column 9 \(line 1, column 11, /),
  malformed("Text behind the JSON", "words", '{"a":1} Hope this helps', /text follows the end of the JSON document: send the document alone \(line 1, column 9, /),
  malformed("Text behind the JSON", "a second object", '{"a":1}{"a":2}', /a second JSON document follows the first: send one \(line 1, column 8, /),
  malformed("Text behind the JSON", "a NUL", "{}\0", /text follows the end of the JSON document: send the document alone \(line 1, column 3, offset 2, at `\\u0000`\)/),
  malformed("A byte order mark", "", "\ufeff{}", /a byte order mark stands before the value: send bare JSON \(line 1, column 1, /),
  malformed("A bare control character in a string", "a NUL", '{"a":"\0"}', /a control character in a string must be escaped \(a new line is \\n\) \(line 1, column 7, offset 6, at `\\u0000"}`\)/),
  malformed("A bare control character in a string", "a new line", '{"a":"x\ny"}', /a control character in a string must be escaped/),
  malformed("Deep nesting", "of 10,000 levels", `{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`, /JSON is nested deeper than 128 levels \(line 1, column 133, /),
  { row: "Deep nesting", name: "of 128 levels", text: `{"a":${"[".repeat(127)}${"]".repeat(127)}}`, gets: JSON.parse(`{"a":${"[".repeat(127)}${"]".repeat(127)}}`) },
];

/** Large texts: each in a turn of its own. */
export const LARGE_ARGUMENTS: ArgumentCase[] = [
  malformed("Arguments larger than the cap", "of 10 MB", `{"a":"${"x".repeat(10 << 20)}"}`, /^invalid tool arguments: arguments of 10485768 bytes, larger than the cap of 4194304 bytes$/),
  malformed("Arguments larger than the cap", "of 5 MB, with escapes", `{"a":"${"12345678901234\\n".repeat(5 << 16)}"}`, /^invalid tool arguments: arguments of 5242888 bytes, larger than the cap of 4194304 bytes$/),
];

/** What no text of arguments can hold: bytes of the stream that are no UTF-8, each read as U+FFFD. */
export const INVALID_UTF8: ArgumentCase = { row: "Bytes that are no UTF-8", text: '{"a":"x\ufffdy"}', gets: { a: "x\ufffdy" } };
