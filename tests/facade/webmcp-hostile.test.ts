/** WebMCP where everybody does their worst: scripts in the browser's place, lists without end, callers that change their minds. */
import { describe, expect, it, vi } from "vitest";
import { tool } from "pagehand";
import { adoptFromBrowser, exposeToBrowser } from "pagehand/webmcp";
import { gate, open } from "./page.ts";
import { add, call, lazily, names, setUp } from "./webmcp-page.ts";

const quiet = (milliseconds = 30) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const theirs = (over: object = {}) => ({ name: "theirs", description: "Theirs.", execute: () => "fine", ...over });

describe("options", () => {
  it("that are misspelt are refused by either function, because they would let more through than was meant", async () => {
    const { runtime } = await setUp();
    for (const start of [exposeToBrowser, adoptFromBrowser] as ((runtime: unknown, options: unknown) => unknown)[]) {
      expect(() => start(runtime, { onyl: ["add"] })).toThrow(expect.objectContaining({ code: "invalid-options", message: expect.stringMatching(/^option `onyl` is not known; did you mean "only"\?/) }));
    }
    expect(() => exposeToBrowser(runtime, { prefix: "p_" } as never)).toThrow(/^option `prefix` is not known/);
    for (const approve of ["allways", 5, null, {}]) expect(() => adoptFromBrowser(runtime, { approve } as never)).toThrow(/^option `approve` must be/);
  });
});

describe("the signal", () => {
  it("that aborts while a script in the browser's place is asked ends it all the same", async () => {
    const { runtime, context } = await setUp({ tools: [add] });
    const controller = new AbortController();
    const register = context.registerTool;
    context.registerTool = (...given) => (controller.abort(), register(...given));
    await exposeToBrowser(runtime, { signal: controller.signal }).ready;
    expect(await names(context)).toEqual([]);
    context.registerTool = register;
    runtime.register(tool({ name: "late", description: "L.", execute: () => 1 }));
    await quiet();
    expect(await names(context)).toEqual([]);
  });

  it("that outlives the runtime, or link.stop(), is let go of", async () => {
    const { runtime } = await setUp({ tools: [add] });
    const { signal } = new AbortController();
    const [on, off] = [vi.spyOn(signal, "addEventListener"), vi.spyOn(signal, "removeEventListener")];
    const links = [exposeToBrowser(runtime, { signal }), adoptFromBrowser(runtime, { signal })];
    await Promise.all(links.map((link) => link.ready));
    links[0]?.stop();
    links[0]?.stop();
    await runtime.close();
    const left = new Set(on.mock.calls.map(([, listener]) => listener));
    for (const [, listener] of off.mock.calls) left.delete(listener);
    expect([...left]).toEqual([]);
  });

  it("of a call is let go of when the call is over", async () => {
    const { runtime, context } = await setUp({ tools: [add] });
    await exposeToBrowser(runtime).ready;
    const { signal } = new AbortController();
    const [on, off] = [vi.spyOn(signal, "addEventListener"), vi.spyOn(signal, "removeEventListener")];
    await context.tools.get("add")?.execute({ a: 1, b: 1 }, { signal });
    expect(off.mock.calls.map(([, listener]) => listener)).toEqual(on.mock.calls.map(([, listener]) => listener));
  });
});

describe("link.ready", () => {
  it("resolves when it is over, though the browser never decides", async () => {
    const { runtime, context } = await setUp({ tools: [add] });
    context.registerTool = () => new Promise(() => undefined);
    context.getTools = () => new Promise(() => undefined);
    const [out, back] = [exposeToBrowser(runtime), adoptFromBrowser(runtime)];
    out.stop();
    await out.ready;
    await runtime.close();
    await back.ready;
  });

  it("resolves after ten seconds, with a warning, where the list never comes, and the next change is looked at", async () => {
    const { runtime, context, warnings } = await setUp();
    const lists = context.getTools.bind(context);
    context.getTools = () => new Promise(() => undefined);
    vi.useFakeTimers();
    try {
      const link = adoptFromBrowser(runtime);
      await vi.advanceTimersByTimeAsync(10_100);
      await link.ready;
    } finally {
      vi.useRealTimers();
    }
    expect(warnings()).toEqual([expect.stringMatching(/^unsupported-environment: the browser does not list its tools: it took longer than 10 seconds/)]);
    context.getTools = lists;
    await context.registerTool(theirs());
    await lazily(() => expect(runtime.declarations()).toHaveLength(1));
  });

  const odd = (over: object) => new Proxy({ name: "odd", description: "Odd." }, over);
  it.each<[string, () => unknown]>([
    ["throws", () => { throw new Error("no list"); }],
    ["is a list that cannot be gone through", () => new Proxy([], { get: () => { throw new Error("no list"); } })],
    ["has a tool that cannot be read a second time", () => [odd({ get: (target, key) => { if (key === "window") throw new Error("no list"); return Reflect.get(target, key); } })]],
    ["is of another kind", () => ({ length: 3 })],
    ["has a Symbol, a function and a list that contains itself", () => { const loop: unknown[] = [Symbol("x"), () => 1]; loop.push(loop); return loop; }],
  ])("resolves where what the browser lists %s, and the next list is read", async (_what, list) => {
    const { runtime, context } = await setUp();
    const lists = context.getTools.bind(context);
    context.getTools = (async () => list()) as never;
    await adoptFromBrowser(runtime).ready;
    expect(runtime.declarations()).toEqual([]);
    context.getTools = lists;
    await context.registerTool(theirs());
    await lazily(() => expect(runtime.declarations()).toHaveLength(1));
  });

  it("resolves, with a warning, where the browser's object throws whatever it is asked for", async () => {
    const { runtime, warnings } = await setUp({ tools: [add] });
    const thrower = new Proxy({}, { get: (_target, key) => { if (key === "registerTool") return () => undefined; throw new Error("hands off"); }, defineProperty: () => { throw new Error("hands off"); } });
    vi.stubGlobal("document", { modelContext: thrower });
    for (const link of [exposeToBrowser(runtime), adoptFromBrowser(runtime)]) await link.ready.then(link.stop);
    expect(warnings()).toEqual([expect.stringMatching(/^unsupported-environment: .*hands off/), expect.stringMatching(/^invalid-tool: tool "add" is not offered .*hands off/)]);
  });
});

describe("a list without end", () => {
  it("of a script whose tools are others each time does not take the page's time: it is looked at less and less often", async () => {
    const { runtime, context } = await setUp();
    let looks = 0;
    context.getTools = async () => [{ ...theirs(), description: `Version ${(looks += 1)}.` }];
    const link = adoptFromBrowser(runtime);
    await link.ready;
    await quiet(400);
    expect(runtime.declarations()).toHaveLength(1);
    expect(looks).toBeGreaterThan(1);
    expect(looks).toBeLessThan(10);
    link.stop();
  });

  it("of changes by the thousand is read a few times, and what is there at last is adopted", async () => {
    const { runtime, context } = await setUp();
    const lists = vi.spyOn(context, "getTools");
    await adoptFromBrowser(runtime).ready;
    for (let index = 0; index < 1_000; index += 1) context.dispatchEvent(new Event("toolchange"));
    await context.registerTool(theirs());
    await lazily(() => expect(runtime.declarations()).toHaveLength(1));
    expect(lists.mock.calls.length).toBeLessThan(10);
  });

  it("is adopted no further once a listener has stopped it in the middle", async () => {
    const { runtime, context } = await setUp({ tools: [tool({ name: "t0", execute: () => 1 })] });
    for (let index = 0; index < 3; index += 1) await context.registerTool(theirs({ name: `t${index}` }));
    const link = adoptFromBrowser(runtime);
    runtime.on("warning", () => link.stop());
    await link.ready;
    await quiet();
    expect(runtime.declarations().map(({ name }) => name)).toEqual(["t0"]);
  });
});

describe("what other scripts say of their tools", () => {
  it("may be as deep or as long as it likes: the tool is adopted or passed over, and the others with it", async () => {
    const { runtime, context, warnings } = await setUp();
    const deep = `${'{"not":'.repeat(8_000)}true${"}".repeat(8_000)}`;
    context.getTools = async () => [theirs({ inputSchema: deep, name: "deep" }), theirs({ name: "n".repeat(1_000_000) }), theirs({ inputSchema: () => 1, name: "odd" }), theirs()];
    await adoptFromBrowser(runtime).ready;
    expect(runtime.declarations().map(({ name }) => name)).toEqual(expect.arrayContaining(["odd", "theirs"]));
    for (const warning of warnings()) expect(warning.length).toBeLessThan(1_000);
  });

  it.each([[128, true], [129, false]])("may be a name of %i characters with its prefix: adopted %s", async (length, fits) => {
    const { runtime, context, warnings } = await setUp();
    await context.registerTool(theirs({ name: "n".repeat(length - 2) }));
    await adoptFromBrowser(runtime, { prefix: "p_" }).ready;
    expect(runtime.declarations()).toHaveLength(fits ? 1 : 0);
    expect(warnings()).toEqual(fits ? [] : [expect.stringMatching(/^invalid-tool: .*128/)]);
  });

  const loop: unknown[] = [];
  loop.push(loop);
  it.each<[string, unknown, unknown]>([
    ["nothing", undefined, { output: null }],
    ["null", null, { output: null }],
    ["text that is almost JSON", '{"a":', { output: '{"a":' }],
    ["a Symbol", Symbol("s"), { error: { code: "unserialisable-result" } }],
    ["a function", () => 1, { error: { code: "unserialisable-result" } }],
    ["a list that contains itself", loop, { error: { code: "unserialisable-result" } }],
    ["a Proxy that throws", new Proxy({}, { ownKeys: () => { throw new Error("no"); } }), { error: { code: "unserialisable-result" } }],
    ["a BigInt", 12345678901234567890n, { output: 12345678901234567890n }],
    ["text nested a hundred thousand deep", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, { error: { code: "unserialisable-result" } }],
    ["text of twenty megabytes", "x".repeat(20_000_000), { error: { code: expect.any(String) } }],
  ])("may give %s, which is a result or an error", async (_what, given, ends) => {
    const { runtime, context } = await setUp();
    await context.registerTool(theirs());
    context.executeTool = async () => given as never;
    await adoptFromBrowser(runtime).ready;
    expect((await runtime.invoke("theirs")).report).toMatchObject(ends as object);
  });
});

describe("the browser's agent", () => {
  it.each<[string, () => unknown, string]>([
    ["a generator", () => (function* () { yield 1; yield 2; })(), "[1,2]"],
    ["the entries of a Map", () => new Map([["a", 1]]).entries(), '[["a",1]]'],
    ["an object that counts how often it is read", () => { let reads = 0; return { toJSON: () => (reads += 1) }; }, "1"],
  ])("reads %s as the report has it: values are read once", async (_what, value, text) => {
    const { runtime, context } = await setUp({ tools: [tool({ name: "give", description: "G.", execute: value })] });
    await exposeToBrowser(runtime).ready;
    expect(await context.executeTool({ name: "give" })).toBe(text);
  });

  it.each([[128, true], [129, false]])("is offered a name of %i characters: %s", async (length, fits) => {
    const name = "n".repeat(length);
    if (!fits) return expect(() => tool({ name, description: "N.", execute: () => 1 })).toThrow(/128/);
    const { runtime, context } = await setUp({ tools: [tool({ name, description: "N.", execute: () => 1 })] });
    await exposeToBrowser(runtime).ready;
    expect(await names(context)).toEqual([name]);
  });

  it("is not timed out while a person is asked, and nothing runs when the runtime closes meanwhile", async () => {
    const [asked, ran] = [gate(), vi.fn(() => "ran")];
    const answers = gate<boolean>();
    const { runtime, context } = await setUp({ tools: [tool({ name: "pay", description: "P.", approve: true, timeout: 30, execute: ran })], onApproval: () => (asked.open(), answers.promise) });
    await exposeToBrowser(runtime).ready;
    const first = call(context, "pay");
    await asked.promise;
    await quiet(80);
    answers.open(true);
    expect(await first).toBe("ran");
    const { runtime: other, context: place } = await setUp({ tools: [tool({ name: "pay", description: "P.", approve: true, execute: ran })], ask: () => undefined });
    await exposeToBrowser(other).ready;
    const second = call(place, "pay");
    await lazily(() => expect(other.pending).toHaveLength(1));
    await other.close();
    expect(await second).toMatchObject({ error: { code: "closed" } });
    expect(ran).toHaveBeenCalledTimes(1);
  });

  it("leaves the line of a lane at once when it calls off, and who stands behind goes on waiting", async () => {
    const [started, go, log] = [gate(), gate(), [] as string[]];
    const laned = tool({ name: "laned", description: "L.", lane: "one", input: { type: "object", properties: { who: { type: "string" } } }, execute: async ({ who }) => {
      log.push(`begin ${who}`);
      started.open();
      if (who === "first") await go.promise;
      await quiet(10);
      log.push(`end ${who}`);
    } });
    const { runtime, context } = await setUp({ tools: [laned] });
    await exposeToBrowser(runtime).ready;
    const asked = (who: string, signal?: AbortSignal) => context.tools.get("laned")?.execute({ who }, { signal });
    const stop = new AbortController();
    const first = asked("first");
    await started.promise;
    const second = asked("second");
    const gone = asked("gone", stop.signal);
    stop.abort();
    expect(await gone).toBe('{"error":{"code":"cancelled","message":"the call was called off"}}');
    const third = asked("third");
    await quiet();
    expect(log).toEqual(["begin first"]);
    go.open();
    expect(await Promise.all([first, second, third])).toEqual(["null", "null", "null"]);
    expect(log).toEqual(["first", "second", "third"].flatMap((who) => [`begin ${who}`, `end ${who}`]));
  });

  it("is answered in words when the runtime closes from within a handler, in line behind it too", async () => {
    const { runtime, context } = await setUp({ tools: [tool({ name: "t", description: "T.", lane: "one", execute: () => runtime.close() })] });
    await exposeToBrowser(runtime).ready;
    const run = context.tools.get("t")?.execute;
    for (const text of await Promise.all([run?.({}), run?.({})])) expect(JSON.parse(String(text))).toMatchObject({ error: { code: expect.stringMatching(/closed|unknown-tool|cancelled/) } });
  });

  it("finds the tools once, however often they are offered and adopted in between", async () => {
    const { runtime, context } = await setUp({ tools: [add] });
    const other = await open({}, { storage: "memory" });
    await context.registerTool(theirs());
    for (let round = 0; round < 3; round += 1) {
      const links = [exposeToBrowser(runtime), adoptFromBrowser(runtime, { prefix: "p_" }), exposeToBrowser(other.runtime), adoptFromBrowser(other.runtime, { prefix: "q_" }), exposeToBrowser(runtime)];
      await Promise.all(links.map((link) => link.ready));
      await quiet();
      expect(await names(context)).toEqual(["add", "theirs"]);
      expect([runtime, other.runtime].map((one) => one.declarations().map(({ name }) => name))).toEqual([["add", "p_theirs"], ["q_theirs"]]);
      for (const link of links) link.stop();
      await quiet();
      expect(await names(context)).toEqual(["theirs"]);
      expect([runtime, other.runtime].map((one) => one.declarations().length)).toEqual([1, 0]);
    }
  });

  it("is offered a thousand tools, and they go with the runtime", async () => {
    const { runtime, context } = await setUp({ tools: Array.from({ length: 1_000 }, (_one, index) => tool({ name: `t${index}`, description: "T.", execute: () => index })) });
    await exposeToBrowser(runtime).ready;
    expect(context.tools.size).toBe(1_000);
    expect(await call(context, "t999")).toBe(999);
    await runtime.close();
    expect(context.tools.size).toBe(0);
  });

  it("is shown a schema that refers to itself without end, reduced to what browsers take", async () => {
    const branch = { $ref: "#/$defs/tree" };
    const input = { type: "object", properties: { tree: branch }, $defs: { tree: { type: "object", properties: { left: branch, right: branch } } } } as const;
    const { runtime, context } = await setUp({ tools: [tool({ name: "tree", description: "T.", input, execute: () => "ok" })] }, { refuses: (schema) => (JSON.stringify(schema).includes("$ref") ? new TypeError("no $ref") : undefined) });
    await exposeToBrowser(runtime).ready;
    const shown = JSON.stringify(context.tools.get("tree")?.inputSchema);
    expect(shown).toContain('"tree":{"type":"object"');
    expect(shown.length).toBeLessThan(10_000);
    expect(await call(context, "tree", { tree: { left: 1 } })).toMatchObject({ error: { code: "SCHEMA_VALIDATION_FAILED" } });
  });
});
