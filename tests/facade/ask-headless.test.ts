/** Questions without any look: what whoever draws them gets, how they end, and the line they stand in. No DOM. */
import { readFileSync, readdirSync } from "node:fs";
import { ask, askInDialog, click, confirm, type FormRequest, type Question } from "pagehand/ask";
import { expect, test, vi } from "vitest";
import * as z from "zod";
import { fieldOf } from "../../src/js/ask/fields.ts";
import { Line } from "../../src/js/ask/line.ts";
import { jsonOf, localMoment, localTime, momentOf, numberOf, timeOf, visible } from "../../src/js/ask/values.ts";

const person = { type: "object", properties: { age: { type: "integer", minimum: 0 } }, required: ["age"] } as const;

/** Asks, and gives the question and what comes of it. */
function asked<const R extends Partial<FormRequest>>(request: R) {
  let question: Question | undefined;
  const end = ask({ title: "Who?", schema: person, ...request } as FormRequest, (one) => (question = one)).then(
    (value) => ({ value }),
    (error: { code: string; message: string }) => ({ code: error.code, message: error.message }),
  );
  return { question: question!, end };
}

test("a question says what is asked, and its answer is what the schema lets pass", async () => {
  const { question, end } = asked({ message: "Please.", initial: { age: 1 } });
  expect(question).toMatchObject({ kind: "form", title: "Who?", message: "Please.", schema: person, initial: { age: 1 } });
  expect(question.id).not.toBe("");
  expect(question.signal.aborted).toBe(false);
  expect(await question.answer({ age: 3, more: undefined })).toEqual({ ok: true });
  expect(await end).toEqual({ value: { age: 3 } });
  expect(question.signal.aborted).toBe(true);
});

test("a forged answer is refused with every violation, and the question stays open", async () => {
  const { question, end } = asked({});
  const refused = await question.answer({ age: "x" });
  expect(refused).toMatchObject({ ok: false, code: "invalid", issues: [{ path: "/age", keyword: "type" }] });
  const cycle: Record<string, unknown> = {};
  cycle["age"] = cycle;
  expect(await question.answer(cycle)).toMatchObject({ ok: false, code: "invalid" });
  expect(await question.answer(undefined)).toMatchObject({ ok: false, code: "invalid" });
  expect(await question.answer({ age: 2 })).toEqual({ ok: true });
  expect(await end).toEqual({ value: { age: 2 } });
});

test("what comes after the end is refused politely", async () => {
  const answered = asked({});
  await answered.question.answer({ age: 1 });
  expect(await answered.question.answer({ age: 2 })).toEqual({ ok: false, code: "over", problem: "the question was already answered" });
  expect(answered.question.decline("no")).toMatchObject({ ok: false, code: "over" });
  expect(await answered.end).toEqual({ value: { age: 1 } });

  const declined = asked({});
  expect(declined.question.decline("  not  today ")).toEqual({ ok: true });
  expect(await declined.question.answer({ age: 2 })).toMatchObject({ ok: false, problem: "the question was already declined" });
  expect(await declined.end).toEqual({ code: "declined", message: "the user declined: not  today" });

  const recall = new AbortController();
  const withdrawn = asked({ signal: recall.signal });
  recall.abort();
  expect(await withdrawn.question.answer({ age: 2 })).toMatchObject({ ok: false, code: "over" });
  expect(await withdrawn.end).toMatchObject({ code: "cancelled" });
});

test("of two answers at once the first that passes counts, and a decline overtakes a check", async () => {
  const { question, end } = asked({});
  const taken = await Promise.all([question.answer({ age: "x" }), question.answer({ age: 1 }), question.answer({ age: 2 })]);
  expect(taken.map((one) => one.ok)).toEqual([false, true, false]);
  expect(await end).toEqual({ value: { age: 1 } });

  const other = asked({});
  const late = other.question.answer({ age: 1 });
  other.question.decline();
  expect(await late).toMatchObject({ ok: false, code: "over" });
  expect(await other.end).toMatchObject({ code: "declined" });
});

test("a question expires, by its timer or by the clock", async () => {
  vi.useFakeTimers();
  try {
    const { question, end } = asked({ expiresAt: Date.now() + 1_000 });
    await vi.advanceTimersByTimeAsync(999);
    expect(question.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(question.signal.aborted).toBe(true);
    expect(await end).toEqual({ code: "declined", message: "the user did not answer in time" });

    const slept = asked({ expiresAt: Date.now() + 1_000 });
    vi.setSystemTime(Date.now() + 5_000);
    expect(await slept.question.answer({ age: 1 })).toMatchObject({ ok: false, problem: "the question has expired" });
  } finally {
    vi.useRealTimers();
  }
});

test("a Standard Schema checks and says what it makes of the answer", async () => {
  const schema = z.object({ age: z.string().transform(Number), tags: z.array(z.string()).optional() });
  const { question, end } = asked({ schema, inputSchema: { type: "object", properties: { age: { type: "string" } } } });
  expect(question.schema).toEqual({ type: "object", properties: { age: { type: "string" } } });
  expect(await question.answer({ age: 4, tags: [1] })).toMatchObject({ ok: false, issues: [{ path: "/age" }, { path: "/tags/0" }] });
  await question.answer({ age: "4" });
  expect(await end).toEqual({ value: { age: 4 } });
});

test("a schema that does not compile ends the question as such", async () => {
  const { question, end } = asked({ schema: { type: "strin" } });
  expect(await end).toMatchObject({ code: "invalid-schema", message: expect.stringContaining("Who?") });
  expect(question.signal.aborted).toBe(true);
});

test.each([
  [{ title: "" }, "title must be text"],
  [{ title: 3 }, "title must be text"],
  [{ message: 3 }, "message must be text"],
  [{ schema: null }, "schema must be a JSON Schema or a Standard Schema"],
  [{ expiresAt: "soon" }, "expiresAt must be milliseconds since the epoch"],
])("misuse is told: %j", async (request, message) => {
  expect(await asked(request as never).end).toEqual({ code: "invalid-options", message });
});

test("a yes-or-no question takes true and false, and a no by any way is false", async () => {
  const questions: Question[] = [];
  const answers = Promise.all(["a", { title: "b", message: "m" }, "c"].map((request) => confirm(request, (question) => questions.push(question))));
  await vi.waitFor(() => expect(questions).toHaveLength(3));
  expect(await questions[0]!.answer("yes")).toMatchObject({ ok: false, code: "invalid" });
  await questions[0]!.answer(true);
  await questions[1]!.answer(false);
  questions[2]!.decline();
  expect(await answers).toEqual([true, false, false]);
});

test("what a click starts is started within the answer", async () => {
  let started = false;
  let question: Question | undefined;
  const end = click({ title: "Go" }, () => ((started = true), Promise.resolve(7)), (one) => (question = one));
  await vi.waitFor(() => expect(question).toBeDefined());
  const taken = question!.answer();
  expect(started).toBe(true);
  expect(await taken).toEqual({ ok: true });
  expect(await end).toBe(7);
});

test("whoever cannot show a question declines it", async () => {
  await expect(ask({ title: "T", schema: person }, () => { throw new Error("no room"); })).rejects.toMatchObject({ code: "declined", message: "the user declined: the question could not be shown: no room" });
  await expect(ask({ title: "T", schema: person }, askInDialog())).rejects.toMatchObject({ code: "declined", message: "the user declined: there is no page here to ask in" });
});

test("one stands in front of the line, the others follow in order, and who leaves is not called", async () => {
  const line = new Line();
  const shown: string[] = [];
  const ends: Record<string, () => void> = {};
  const join = (name: string, signal = new AbortController().signal) => line.join(signal, () => (shown.push(name), new Promise<void>((resolve) => (ends[name] = resolve))));
  const leaving = new AbortController();
  join("a");
  join("b", leaving.signal);
  line.join(new AbortController().signal, () => { shown.push("broken"); throw new Error("broken"); });
  join("c");
  join("gone", AbortSignal.abort());
  expect(shown).toEqual(["a"]);
  expect(line.length).toBe(3);
  leaving.abort();
  expect(line.length).toBe(2);
  const told = vi.spyOn(console, "error").mockImplementation(() => undefined);
  ends["a"]!();
  await vi.waitFor(() => expect(shown).toEqual(["a", "broken", "c"]));
  expect(told).toHaveBeenCalledOnce();
  ends["c"]!();
});

test("the document lists every part and property there is to style, and no other", () => {
  const folder = new URL("../../src/js/ask/", import.meta.url);
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const source = sources.map((file) => readFileSync(new URL(file, folder), "utf8")).join("\n");
  const rows = readFileSync(new URL("../../docs/asking.md", import.meta.url), "utf8").split("\n");
  const listed = (row: string) => [...(rows.find((line) => line.startsWith(`| ${row} |`)) ?? "").matchAll(/`([\w-]+)`/g)].map((found) => found[1]).sort();
  const found = (pattern: RegExp) => [...new Set([...source.matchAll(pattern)].flatMap((one) => one[1]!.split(" ")))].sort();
  expect(listed("parts")).toEqual(found(/part: "([^"]+)"/g));
  expect(listed("properties").filter((name) => name !== "--pagehand-")).toEqual(found(/--pagehand-([\w-]+)/g));
});

test("every schema has a form, however odd", () => {
  const loop: Record<string, unknown> = { $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" }, a: { type: "string" } } } }, $ref: "#/$defs/node" };
  const depth = (field: ReturnType<typeof fieldOf>): number => (field.kind === "group" ? 1 + Math.max(...field.parts.map((part) => depth(part.field))) : 0);
  expect(depth(fieldOf(loop))).toBeLessThan(10);
  expect(fieldOf({ $ref: "#" }).kind).toBe("json");
  expect(fieldOf({ $ref: "https://elsewhere.test/schema" }).kind).toBe("json");
  expect(fieldOf({ allOf: [{ properties: { a: { type: "string" } } }, { properties: { b: { type: "string" } }, required: ["b"] }] })).toMatchObject({ kind: "group", parts: [{ name: "a", required: false }, { name: "b", required: true }] });
  for (const odd of [true, false, {}, { type: [] }, { enum: [] }, { oneOf: [] }, { type: "object", properties: [] }, { items: [] }, { type: 3 }, { anyOf: [3] }, { properties: null }]) {
    expect(fieldOf(odd as never)).toHaveProperty("kind");
  }
  const many = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`f${index}`, { type: "string" }]));
  const wide = fieldOf({ type: "object", properties: many });
  expect(wide.kind === "group" && wide.parts.filter((part) => part.field.kind === "json").length).toBeGreaterThan(100);
});

test("the schemas of public tools have next to no field that must be written as JSON", () => {
  const lines = readFileSync(new URL("../fixtures/tool-schemas.jsonl", import.meta.url), "utf8").trim().split("\n");
  const kinds: string[] = [];
  const walk = (field: ReturnType<typeof fieldOf>): void => {
    kinds.push(field.kind);
    if (field.kind === "group") field.parts.forEach((part) => walk(part.field));
    if (field.kind === "list") walk(field.item);
    if (field.kind === "branches") field.branches.forEach(walk);
  };
  for (const line of lines) walk(fieldOf((JSON.parse(line) as { inputSchema: object }).inputSchema as never));
  expect(kinds.length).toBeGreaterThan(250);
  expect(kinds.filter((kind) => kind === "json").length / kinds.length).toBeLessThan(0.05);
});

test("what is typed becomes what travels, to the last digit", () => {
  expect([numberOf("1.50"), numberOf("9007199254740993"), numberOf(""), numberOf("x"), numberOf("-0")]).toEqual([1.5, 9007199254740993n, undefined, undefined, -0]);
  expect(Date.parse(momentOf("2026-02-03T10:20"))).toBe(new Date(2026, 1, 3, 10, 20).getTime());
  expect(localMoment(momentOf("2026-02-03T10:20"))).toBe("2026-02-03T10:20");
  expect([localMoment("soon"), localTime("soon"), localTime(timeOf("10:20")).slice(0, 5)]).toEqual(["", "", "10:20"]);
  expect(jsonOf({ a: [1n, "x"], b: {}, c: undefined })).toBe('{\n  "a": [\n    1,\n    "x"\n  ],\n  "b": {}\n}');
  expect(visible("safe\u202Eexe.txt\u200b")).toBe("safe\\u{202e}exe.txt\\u{200b}");
});
