/** What calls ask of the person at the page: forms, confirmations, approvals, policy. Without any look: the test answers. */
import { PagehandError, type PolicyRule, type Question, type QuestionEvent, type RuntimeOptions, type Tool, tool } from "pagehand";
import { askUserTools } from "pagehand/ask";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod";
import { askInCall } from "../../src/js/ask/within.ts";
import { matches } from "../../src/js/ask/policy.ts";
import { oneCall, open } from "./page.ts";

const name = { type: "object", properties: { name: { type: "string", minLength: 1 } }, required: ["name"] } as const;

/** A page whose questions are collected, with one call of a tool under way. */
async function calling(made: Tool | Tool[], args: unknown = {}, options: Partial<RuntimeOptions> = {}) {
  const tools = [made].flat();
  const asked: Question[] = [];
  const { engine, runtime } = await open(oneCall(tools[0]!.name, args), { tools, ask: (question) => asked.push(question), ...options });
  const events: QuestionEvent[] = [];
  runtime.on("question", (event) => events.push(event));
  runtime.on("warning", () => undefined);
  const turn = runtime.send("go");
  return {
    engine,
    runtime,
    asked,
    events,
    /** The n-th question, once it is there. */
    question: async (index = 0) => (await vi.waitFor(() => expect(asked.length).toBeGreaterThan(index)), asked[index]!),
    /** The turn's end: the call's report and what the model read. */
    end: async () => {
      const { report } = await turn.finished;
      const call = engine.calls(runtime.sessionId)[0]!;
      return { report: report.children[0]!, call, read: call.rendered ?? JSON.stringify(call.error) };
    },
  };
}

describe("a handler", () => {
  it("asks for values, which come as the schema lets them pass", async () => {
    const page = await calling(tool({ name: "greet", action: "Greeting", execute: async (_input, { ask }) => `Hello, ${(await ask({ title: "Who?", schema: name })).name}` }));
    const question = await page.question();
    expect(question).toMatchObject({ kind: "form", title: "Who?", schema: name, call: { name: "greet", action: "Greeting", callId: "call_1", sessionId: page.runtime.sessionId } });
    expect([...page.runtime.questions]).toEqual([question]);
    expect(await question.answer({ name: "" })).toMatchObject({ ok: false });
    expect(page.runtime.questions.size).toBe(1);
    await question.answer({ name: "Ada" });
    expect((await page.end()).read).toBe("Hello, Ada");
    expect(page.runtime.questions.size).toBe(0);
    expect(page.events.map(({ state, kind, name: by }) => [state, kind, by])).toEqual([["asked", "form", "greet"], ["answered", "form", "greet"]]);
  });

  it("that is declined tells the model so, with the reason", async () => {
    const page = await calling(tool({ name: "greet", execute: async (_input, { ask }) => ask({ title: "Who?", schema: name }) }));
    (await page.question()).decline("none of your business");
    const { report, read } = await page.end();
    expect(report).toMatchObject({ status: "failed", error: { code: "declined", message: "the user declined: none of your business" } });
    expect(read).toContain("the user declined: none of your business");
  });

  it("may go on after a no", async () => {
    const page = await calling(tool({ name: "t", execute: async (_input, { ask, confirm }) => [await confirm("Sure?"), await ask({ title: "Who?", schema: name }).catch((error: PagehandError) => error.code)] }));
    await (await page.question()).answer(false);
    (await page.question(1)).decline();
    expect((await page.end()).read).toBe('[false,"declined"]');
  });

  it("has no less time for the person's thinking", async () => {
    const page = await calling(tool({ name: "t", timeout: 300, execute: async (_input, { confirm }) => [await confirm("One?"), await confirm("Two?")] }));
    for (const index of [0, 1]) {
      const question = await page.question(index);
      await new Promise((resolve) => setTimeout(resolve, 350));
      await question.answer(true);
    }
    expect((await page.end()).read).toBe("[true,true]");
  });

  it("whose call is called off takes its question along", async () => {
    const ended = vi.fn();
    const page = await calling(tool({ name: "t", execute: (_input, { confirm }) => confirm("Sure?").catch((error: PagehandError) => (ended(error.code), false)) }));
    const question = await page.question();
    page.engine.operate({ action: "cancel", sessionId: page.runtime.sessionId });
    await vi.waitFor(() => expect(ended).toHaveBeenCalledWith("cancelled"));
    expect(question.signal.aborted).toBe(true);
    expect(await question.answer(true)).toMatchObject({ ok: false, code: "over" });
    expect(page.runtime.questions.size).toBe(0);
    expect(page.events.at(-1)).toMatchObject({ state: "withdrawn" });
  });

  it("is declined where nobody can be asked", async () => {
    const page = await calling(tool({ name: "t", execute: (_input, { confirm, ask }) => confirm("Sure?").then(async (yes) => [yes, await ask({ title: "Who?", schema: name })]) }), {}, { ask: undefined });
    expect((await page.end()).read).toContain("the user declined: there is no page here to ask in");
  });

  it("may ask twice at once, and the clock goes on after the last", async () => {
    const page = await calling(tool({ name: "t", timeout: 300, execute: async (_input, { confirm }) => (await Promise.all([confirm("One?"), confirm("Two?")]), new Promise(() => undefined)) }));
    await (await page.question()).answer(true);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(page.engine.calls(page.runtime.sessionId)[0]?.status).not.toBe("errored");
    await (await page.question(1)).answer(true);
    expect((await page.end()).report).toMatchObject({ error: { code: "deadline_exceeded" } });
  });

  it("of a tool lent to another page gives signs of life instead", async () => {
    const given = { PagehandError } as never;
    const progressed = vi.fn();
    const asked: Question[] = [];
    const dispatcher = { stash: { of: () => ({}) }, emitter: { emit: () => undefined } };
    const parts = { options: { ask: (question: Question) => asked.push(question) }, questions: new Set(), registry: { get: () => ({ timeout: 60 }) }, dispatcher, call: vi.fn(), progressed };
    const run = [0, "session", "call", 0, undefined, "t", undefined, 0, "{}", new AbortController().signal];
    const end = askInCall(given, parts as never, run as never, false, "Sure?");
    await vi.waitFor(() => expect(progressed.mock.calls.length).toBeGreaterThan(1));
    expect(progressed).toHaveBeenLastCalledWith(0, expect.objectContaining({ type: "tool.progress", sessionId: "session", callId: "call" }));
    await asked[0]!.answer(true);
    expect(await end).toBe(true);
    const signs = progressed.mock.calls.length;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(progressed).toHaveBeenCalledTimes(signs);
    expect(parts.call).not.toHaveBeenCalled();
  });

  it("loses its question with the runtime", async () => {
    const page = await calling(tool({ name: "t", execute: (_input, { confirm }) => confirm("Sure?") }));
    const question = await page.question();
    await page.runtime.close();
    await vi.waitFor(() => expect(question.signal.aborted).toBe(true));
    expect(page.runtime.questions.size).toBe(0);
  });

  it("is told of misuse", async () => {
    const page = await calling(tool({ name: "t", execute: (_input, { ask }) => ask({ title: "", schema: name }) }));
    expect((await page.end()).read).toContain("title must be text");
  });

  it("that runs without a runtime, or within another call, asks too", async () => {
    const inner = tool({ name: "inner", execute: (_input, { confirm }) => confirm("Inner?") });
    const outer = tool({ name: "outer", execute: async (_input, context) => (await inner.invoke({}, context)).data });
    const page = await calling(outer);
    const question = await page.question();
    expect(question).toMatchObject({ title: "Inner?", call: { name: "outer" } });
    await question.answer(true);
    expect((await page.end()).read).toBe("true");
    expect((await inner.invoke({})).data).toBe(false);
  });
});

describe("an approval", () => {
  const pay = (more: object = {}) => tool({ name: "pay", approve: true, input: { type: "object", properties: { sum: { type: "number", maximum: 10 } }, required: ["sum"] }, execute: (input) => ({ paid: input.sum }), ...more });

  it("shows the exact arguments, and one yes is one run", async () => {
    const page = await calling(pay({ action: ({ sum }: { sum: number }) => `Paying ${sum}` }), { sum: 3 });
    const question = await page.question();
    expect(question).toMatchObject({ kind: "approval", title: "Paying 3", schema: undefined, call: { name: "pay", input: { sum: 3 }, editable: false, covers: undefined } });
    expect(await question.answer({ input: { sum: 1 } })).toMatchObject({ ok: false, code: "invalid" });
    expect(await question.answer("yes")).toMatchObject({ ok: false, code: "invalid" });
    expect(await question.answer(true)).toEqual({ ok: true });
    const { report, read } = await page.end();
    expect(read).toBe('{"paid":3}');
    expect(report).toMatchObject({ consent: { by: "user", allowed: true } });
    const again = page.runtime.invoke("pay", { sum: 4 });
    await (await page.question(1)).answer(false);
    expect((await again).error).toMatchObject({ code: "declined" });
  });

  it("that is declined is an answer the model reads, with the reason", async () => {
    const page = await calling(pay(), { sum: 3 });
    (await page.question()).decline("too dear");
    const { report, read } = await page.end();
    expect(read).toContain("the user declined: too dear");
    expect(report).toMatchObject({ error: { code: "declined" }, consent: { by: "user", allowed: false } });
  });

  it("may change arguments where the tool says so: checked, reported, and told to the model", async () => {
    const page = await calling(pay({ editable: true, output: { type: "object", properties: { paid: { type: "number" } }, required: ["paid"], additionalProperties: false } }), { sum: 3 });
    const question = await page.question();
    expect(question.schema).toMatchObject({ type: "object" });
    expect(await question.answer({ input: { sum: 99 } })).toMatchObject({ ok: false, issues: [{ path: "/sum", keyword: "maximum" }] });
    expect(await question.answer({ input: [1] })).toMatchObject({ ok: false, code: "invalid" });
    await question.answer({ input: { sum: 2 } });
    const { report, call } = await page.end();
    expect(report).toMatchObject({ status: "completed", input: { sum: 2 }, output: { paid: 2 }, consent: { by: "user", allowed: true, edited: { from: { sum: 3 } } } });
    expect(call.rendered).toBe('{"paid":2}');
    const messages = JSON.stringify(page.engine.messages(page.runtime.sessionId));
    expect(messages).toContain("The user changed the arguments before this ran.");
    expect(messages).toContain(JSON.stringify('{"sum":2}').slice(1, -1));
  });

  it("that changes nothing is a plain yes", async () => {
    const page = await calling(pay({ editable: true }), { sum: 3 });
    await (await page.question()).answer({ input: { sum: 3 } });
    const { report } = await page.end();
    expect(report).toMatchObject({ consent: { by: "user", allowed: true } });
    expect((report as { consent: object }).consent).not.toHaveProperty("edited");
    expect(JSON.stringify(page.engine.messages(page.runtime.sessionId))).not.toContain("changed the arguments");
  });

  it("changed by the person is read by a Standard Schema once more, and no earlier reading runs", async () => {
    let readings = 0;
    const input = z.object({ sum: z.number().max(10).transform((sum) => [sum, ++readings] as const) });
    const page = await calling(tool({ name: "pay", approve: true, editable: true, input, execute: ({ sum }) => sum }), { sum: 3 });
    const question = await page.question();
    expect(question.call?.input).toEqual({ sum: 3 });
    expect(await question.answer({ input: { sum: 11 } })).toMatchObject({ ok: false, code: "invalid" });
    await question.answer({ input: { sum: 2 } });
    expect((await page.end()).report).toMatchObject({ output: [2, readings] });
    const later = page.runtime.invoke("pay", { sum: 2 });
    await (await page.question(1)).answer(true);
    expect((await later).data).toEqual([2, readings]);
  });

  it("does not hide a result that breaks its schema behind the note", async () => {
    const page = await calling(pay({ editable: true, output: { type: "string" } }), { sum: 3 });
    await (await page.question()).answer({ input: { sum: 2 } });
    expect((await page.end()).report).toMatchObject({ error: { code: "invalid-result" } });
  });

  it("once covers later calls for as long as it says, and no longer than the log-in", async () => {
    const now = vi.fn(() => 1_000_000);
    const page = await calling(pay({ approve: "once", grantFor: 5_000 }), { sum: 1 }, { now });
    const question = await page.question();
    expect(question.call).toMatchObject({ covers: { tool: "pay", milliseconds: 5_000 }, action: undefined });
    expect(question.title).toBe("pay");
    await question.answer(true);
    await page.end();
    // What is run without a model is in no session, and a yes there covers what is there.
    const local = page.runtime.invoke("pay", { sum: 2 });
    await (await page.question(1)).answer(true);
    expect((await local).data).toEqual({ paid: 2 });
    expect(await page.runtime.invoke("pay", { sum: 3 })).toMatchObject({ data: { paid: 3 }, report: { consent: { by: "grant", allowed: true } } });
    now.mockReturnValue(1_006_000);
    const late = page.runtime.invoke("pay", { sum: 4 });
    await (await page.question(2)).answer(true);
    expect((await late).data).toEqual({ paid: 4 });
    await page.runtime.clear();
    const cleared = page.runtime.invoke("pay", { sum: 5 });
    (await page.question(3)).decline();
    expect((await cleared).error).toMatchObject({ code: "declined" });
    const declined = page.runtime.invoke("pay", { sum: 6 });
    (await page.question(4)).decline();
    await declined;
  });

  it("once covers nothing when the person corrected the call", async () => {
    const page = await calling(pay({ approve: "once", editable: true }), { sum: 1 });
    await (await page.question()).answer({ input: { sum: 2 } });
    await page.end();
    const again = page.runtime.invoke("pay", { sum: 3 });
    (await page.question(1)).decline();
    expect((await again).error).toMatchObject({ code: "declined" });
  });

  it("is asked for by default where a tool is destructive, and never where it says never", async () => {
    const wipe = tool({ name: "wipe", annotations: { destructive: true }, execute: () => "wiped" });
    const page = await calling([wipe, tool({ name: "wash", annotations: { destructive: true }, approve: "never", execute: () => "washed" })]);
    (await page.question()).decline();
    expect((await page.end()).report).toMatchObject({ error: { code: "declined" } });
    expect((await page.runtime.invoke("wash")).data).toBe("washed");
    const nobody = await calling(wipe, {}, { ask: undefined });
    expect((await nobody.end()).read).toContain("the user declined: nobody here can agree to it");
  });

  it.each([
    ["allow", "completed", 0],
    ["deny", "failed", 0],
    ["ask", "failed", 1],
    [false, "completed", 0],
    [true, "failed", 1],
    ["odd", "failed", 1],
  ])("is decided by the tool's function: %s", async (said, status, questions) => {
    const page = await calling(pay({ approve: () => said }), { sum: 3 });
    if (questions) (await page.question()).decline();
    expect((await page.end()).report).toMatchObject({ status });
    expect(page.asked).toHaveLength(questions);
  });

  it("by onApproval wins over questions, and counts once too", async () => {
    const onApproval = vi.fn(() => true);
    const page = await calling(pay({ approve: "once" }), { sum: 3 }, { onApproval });
    await page.end();
    await page.runtime.invoke("pay", { sum: 1 });
    await page.runtime.invoke("pay", { sum: 2 });
    expect(page.asked).toHaveLength(0);
    expect(onApproval).toHaveBeenCalledTimes(2);
  });

  it("goes when the person types instead", async () => {
    const page = await calling(pay(), { sum: 3 });
    const question = await page.question();
    const second = page.runtime.send("never mind");
    await vi.waitFor(() => expect(question.signal.aborted).toBe(true));
    expect(await question.answer(true)).toMatchObject({ ok: false, code: "over" });
    expect((await page.end()).read).toContain("declined");
    await second.finished;
  });
});

describe("a policy", () => {
  const run = async (policy: RuntimeOptions["policy"], args: object = {}, more: object = {}) => {
    const page = await calling(tool({ name: "cart.add", execute: () => "ran", ...more }), args, { policy });
    void vi.waitFor(() => expect(page.asked).toHaveLength(1)).then(() => page.asked[0]!.decline(), () => undefined);
    const { report } = await page.end();
    return page.asked.length ? "asked" : report.status === "completed" ? "ran" : (report.error?.message ?? "");
  };

  it.each<[string, PolicyRule[], object, string]>([
    ["no rule fits", [{ tool: "basket.*", decision: "deny" }], {}, "ran"],
    ["the name", [{ tool: "cart.*", decision: "deny", reason: "the shop is closed" }], {}, "the user declined: the shop is closed"],
    ["the first that fits", [{ tool: "*", decision: "ask" }, { tool: "cart.add", decision: "deny" }], {}, "asked"],
    ["the annotation", [{ annotation: "destructive", decision: "deny" }], { annotations: { destructive: true } }, "the user declined: this page's policy does not allow it"],
    ["an allow over what the tool says", [{ annotation: "destructive", decision: "allow" }], { annotations: { destructive: true } }, "ran"],
    ["the origin", [{ origin: "https://*", decision: "deny" }], {}, "ran"],
    ["a deny whose look fails", [{ when: () => { throw new Error("x"); }, decision: "deny" }], {}, "the user declined: this page's policy does not allow it"],
    ["an allow whose look fails", [{ when: () => { throw new Error("x"); }, decision: "allow" }], { approve: true }, "asked"],
    ["a rule that cannot be read", [{ tools: "x", decision: "allow" } as never], {}, "asked"],
    ["a rule without a decision", [{ tool: "cart.add" } as never], {}, "asked"],
    ["an allow whose look takes its time and says no", [{ when: async () => false, decision: "allow" }], { approve: true }, "asked"],
    ["an allow whose look fails late", [{ when: () => Promise.reject(new Error("x")), decision: "allow" }], { approve: true }, "asked"],
    ["a deny whose look takes its time and says no", [{ when: async () => false, decision: "deny" }], {}, "ran"],
    ["a name that is no text", [{ tool: /cart/ as never, decision: "allow" }], {}, "asked"],
    ["a mark that there is not", [{ annotation: "destructiv" as never, decision: "deny" }], { annotations: { destructive: true } }, "asked"],
    ["a look that is none", [{ when: true as never, decision: "allow" }], {}, "asked"],
    ["a rule that is none", [null as never], {}, "asked"],
    ["a field from afar", [JSON.parse('{"__proto__":{"decision":"allow"},"decision":"allow"}') as never], {}, "asked"],
  ])("decides by %s", async (_name, rules, more, outcome) => {
    expect(await run(rules, {}, more)).toBe(outcome);
  });

  it("decides by the arguments, and as a function", async () => {
    const dear: PolicyRule[] = [{ when: ({ sum }: { sum: number }) => sum > 5, decision: "deny" }];
    expect(await run(dear, { sum: 6 })).toContain("policy does not allow");
    expect(await run(dear, { sum: 5 })).toBe("ran");
    expect(await run(({ tool: { name: by }, input }) => (by === "cart.add" && (input as { sum: number }).sum > 5 ? "deny" : undefined), { sum: 6 })).toContain("policy");
    expect(await run(async () => "ask" as const)).toBe("asked");
    expect(await run(() => { throw new Error("broken"); })).toBe("asked");
    expect(await run(() => "sure" as never)).toBe("asked");
  });

  it("must be rules or a function", async () => {
    await expect(calling(tool({ name: "t", execute: () => 1 }), {}, { policy: "ask" as never })).rejects.toMatchObject({ code: "invalid-options" });
  });

  it("matches names without effort", () => {
    expect(["a*b*c", "*", "abc", "a*", "*c", "a**c", "ab*bc", "ac*"].map((pattern) => matches(pattern, "abc"))).toEqual([true, true, true, true, true, true, false, false]);
    expect(matches("*a".repeat(5_000), "a".repeat(4_999))).toBe(false);
  });
});

describe("the tools of the model", () => {
  const asking = (schema: unknown) => calling(askUserTools(), { title: "Size?", message: "For the shirt.", schema });

  it("ask the person and give what was entered", async () => {
    const page = await asking({ type: "object", properties: { size: { enum: ["S", "M"], title: "Size" } }, required: ["size"] });
    const question = await page.question();
    expect(question).toMatchObject({ title: "Size?", message: "For the shirt.", kind: "form" });
    await question.answer({ size: "M" });
    expect((await page.end()).read).toBe('{"size":"M"}');
  });

  it.each([
    ["no object", { type: "string" }, 'must be of type "object"'],
    ["a reference elsewhere", { type: "object", properties: { a: { $ref: "https://evil.test/x" } } }, '/properties/a/$ref must begin with "#/"'],
    ["an identity", { type: "object", properties: { a: { $id: "https://evil.test/" } } }, "$id is not allowed"],
    ["a pattern", { type: "object", properties: { a: { type: "string", pattern: "(a+)+$" } } }, "pattern is not allowed"],
    ["a secret", { type: "object", properties: { a: { type: "string", format: "password" } } }, "secrets are not asked for"],
    ["too many fields", { type: "object", properties: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`f${index}`, {}])) }, "more than 20 fields"],
    ["too much", { type: "object", properties: { a: { description: "x".repeat(9_000) } } }, "longer than 8000 characters"],
    ["too deep", { type: "object", properties: { a: Array.from({ length: 20 }).reduce((inner) => ({ items: inner }), {}) } }, "nested deeper"],
  ])("refuse %s", async (_name, schema, words) => {
    const page = await asking(schema);
    expect((await page.end()).read).toContain(words);
    expect(page.asked).toHaveLength(0);
  });

  it("take properties for what they are, whatever they are called", async () => {
    const page = await asking({ type: "object", properties: { pattern: { type: "string" }, $id: { type: "string" }, enum: { type: "string" } } });
    await (await page.question()).answer({ pattern: "x" });
    expect((await page.end()).read).toBe('{"pattern":"x"}');
  });

  it("confirm", async () => {
    const [, confirm] = askUserTools();
    const page = await calling(confirm!, { question: "Really?", yesLabel: "Do it" });
    const question = await page.question();
    expect(question).toMatchObject({ title: "Really?", kind: "confirm", submitLabel: "Do it" });
    await question.answer(true);
    expect((await page.end()).read).toBe('{"confirmed":true}');
  });
});

describe("a form of a tool that may run again", () => {
  /** A tab's storage. */
  function storage() {
    const kept = new Map<string, string>();
    const made = { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => void kept.set(key, value), removeItem: (key: string) => void kept.delete(key) };
    vi.stubGlobal("sessionStorage", made);
    onTestFinished(() => void vi.unstubAllGlobals());
    return kept;
  }

  it("keeps what is typed until the call ends, and begins with it", async () => {
    const kept = storage();
    kept.set("pagehand drafts", JSON.stringify([['["other","x",0] 1', { name: "Bob" }]]));
    const made = tool({ name: "t", annotations: { readOnly: true }, execute: async (_input, { ask }) => [await ask({ title: "1", schema: name }), await ask({ title: "2", schema: name })] });
    const page = await calling(made);
    const first = await page.question();
    first.keep({ name: "A" });
    first.keep({ name: "Ad" });
    expect(JSON.parse(kept.get("pagehand drafts")!)).toHaveLength(2);
    await first.answer({ name: "Ada" });
    first.keep({ name: "late" });
    const second = await page.question(1);
    second.keep({ name: "B" });
    expect(kept.get("pagehand drafts")).toContain('"Ad"');
    await second.answer({ name: "Bob" });
    await page.end();
    expect(JSON.parse(kept.get("pagehand drafts")!)).toEqual([['["other","x",0] 1', { name: "Bob" }]]);
    await page.runtime.clear();
    expect(kept.has("pagehand drafts")).toBe(false);
  });

  it("keeps nothing where the tool may not run again", async () => {
    const kept = storage();
    const page = await calling(tool({ name: "t", execute: (_input, { ask }) => ask({ title: "1", schema: name }) }));
    const question = await page.question();
    question.keep({ name: "A" });
    expect(kept.has("pagehand drafts")).toBe(false);
    question.decline();
    await page.end();
  });
});
