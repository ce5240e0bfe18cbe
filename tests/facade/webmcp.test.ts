/** Tools offered to the browser, against a fake that does what Chromium does; the real one is in `tests/browser/webmcp.test.mjs`. */
import { execFileSync } from "node:child_process";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Runtime, tool } from "pagehand";
import { adoptFromBrowser, exposeToBrowser } from "pagehand/webmcp";
import { refusedKeyword } from "./model-context.ts";
import { gate, oneCall, open } from "./page.ts";
import { add, call, lazily, names, setUp } from "./webmcp-page.ts";

describe("exposeToBrowser", () => {
  it("offers name, description, schema and hints, and answers a call by its result as JSON", async () => {
    const wipe = tool({ name: "wipe", description: "Wipes.", action: "Wiping", annotations: { destructive: true, untrusted: true }, approve: false, execute: () => "" });
    const { runtime, context } = await setUp({ tools: [add, wipe] });
    await exposeToBrowser(runtime).ready;
    expect(await context.getTools()).toMatchObject([
      { name: "add", description: "Adds.", inputSchema: add.input, annotations: { readOnlyHint: true, consequentialHint: false, untrustedContentHint: false } },
      { name: "wipe", description: "Wipes.", inputSchema: { type: "object" }, annotations: { readOnlyHint: false, consequentialHint: true, untrustedContentHint: true } },
    ]);
    expect(await call(context, "add", { a: 1, b: 2 })).toBe(3);
    expect(await context.executeTool({ name: "wipe" })).toBe('""');
  });

  it("offers nothing but what was asked for", async () => {
    const { runtime, context } = await setUp({ tools: [add, tool({ name: "other", description: "O.", execute: () => 1 })] });
    await exposeToBrowser(runtime, { only: ["add", "later"] }).ready;
    runtime.register(tool({ name: "later", description: "L.", execute: () => 1 }));
    await lazily(async () => expect(await names(context)).toEqual(["add", "later"]));
  });

  it("follows what is registered and unregistered, another tool of the same name too", async () => {
    const { runtime, context } = await setUp();
    await exposeToBrowser(runtime).ready;
    const release = runtime.register(add);
    await lazily(async () => expect(await names(context)).toEqual(["add"]));
    release();
    runtime.register(tool({ name: "add", description: "Another.", execute: () => "other" }));
    await lazily(() => expect(context.tools.get("add")?.description).toBe("Another."));
    expect(await call(context, "add")).toBe("other");
  });

  it.each<[string, (runtime: Runtime, controller: AbortController, link: { stop(): void; [Symbol.dispose](): void }) => unknown]>([
    ["the signal", (_runtime, controller) => controller.abort()],
    ["runtime.close()", (runtime) => runtime.close()],
    ["stop()", (_runtime, _controller, link) => link.stop()],
    ["using", (_runtime, _controller, link) => link[Symbol.dispose]()],
  ])("is ended by %s, and stays so", async (_how, end) => {
    const { runtime, context } = await setUp({ tools: [add] });
    const controller = new AbortController();
    const link = exposeToBrowser(runtime, { signal: controller.signal });
    await link.ready;
    expect(await names(context)).toEqual(["add"]);
    await end(runtime as Runtime, controller, link);
    expect(await names(context)).toEqual([]);
    if (runtime.state !== "closed") runtime.register(tool({ name: "late", description: "L.", execute: () => 1 }));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await names(context)).toEqual([]);
  });

  it("runs a call as any call: events, report, checks, timeout", async () => {
    const slow = tool({ name: "slow", description: "S.", timeout: 30, execute: () => new Promise(() => undefined) });
    const { runtime, context } = await setUp({ tools: [add, slow] });
    const reports: unknown[] = [];
    runtime.on("agent.tool.called", (event) => reports.push(event));
    runtime.on("agent.tool.failed", (event) => reports.push(event));
    await exposeToBrowser(runtime).ready;
    await call(context, "add", { a: 1, b: 2 });
    const wrong = await call(context, "add", { a: "x", c: 1 });
    expect(wrong).toMatchObject({ error: { code: "SCHEMA_VALIDATION_FAILED", message: expect.stringContaining("/a") } });
    expect(await call(context, "add", [1])).toMatchObject({ error: { code: "malformed-arguments" } });
    expect(await call(context, "slow")).toMatchObject({ error: { code: "deadline_exceeded" } });
    expect(reports).toMatchObject([
      { name: "add", input: { a: 1, b: 2 }, output: 3, status: "completed", checks: { input: "valid" } },
      { name: "add", status: "failed", checks: { input: "invalid" } },
      { name: "add", status: "failed" },
      { name: "slow", status: "failed" },
    ]);
  });

  it("asks by approvals and by the policy, and a no is something the model reads", async () => {
    const asked: unknown[] = [];
    const ran = vi.fn(() => "ran");
    const { runtime, context } = await setUp({
      tools: [
        tool({ name: "order", description: "O.", approve: true, execute: ran }),
        tool({ name: "pay", description: "P.", annotations: { destructive: true }, execute: ran }),
        tool({ name: "read", description: "R.", execute: ran }),
      ],
      policy: [{ tool: "read", decision: "deny", reason: "not today" }],
      onApproval: ({ tool: { name }, input }) => {
        asked.push([name, input]);
        return name === "order" ? { allow: false, reason: "too dear" } : true;
      },
    });
    await exposeToBrowser(runtime).ready;
    expect(await call(context, "order", { n: 1 })).toEqual({ error: { code: "declined", message: expect.stringContaining("too dear") } });
    expect(await call(context, "read")).toEqual({ error: { code: "declined", message: expect.stringContaining("not today") } });
    expect(ran).not.toHaveBeenCalled();
    expect(await call(context, "pay", { n: 2 })).toBe("ran");
    expect(asked).toEqual([["order", { n: 1 }], ["pay", { n: 2 }]]);
  });

  it("says what a person changed before it ran", async () => {
    const { runtime, context } = await setUp({
      tools: [tool({ name: "order", description: "O.", approve: true, editable: true, execute: (input) => input })],
      onApproval: () => ({ allow: true, input: { n: 1 } }),
    });
    await exposeToBrowser(runtime).ready;
    expect(await call(context, "order", { n: 100 })).toEqual({
      content: [{ type: "text", text: '{"n":1}' }, { type: "text", text: 'The user changed the arguments before this ran. It ran with: {"n":1}' }],
    });
  });

  it.each<[string, unknown, string]>([
    ["nothing", undefined, "null"],
    ["null", null, "null"],
    ["an empty text", "", '""'],
    ["a text that looks like JSON", "12", '"12"'],
    ["a BigInt", { n: 12345678901234567890n }, '{"n":12345678901234567890}'],
    ["a Map", new Map([["a", 1]]), '[["a",1]]'],
    ["a lone surrogate", "\ud800", '"\ufffd"'],
    ["an image", new Blob(["x"], { type: "image/png" }), '{"content":[{"type":"text","text":"[image/png, content 1]"},{"type":"image","data":"eA==","mimeType":"image/png"}]}'],
    ["a Symbol", Symbol("s"), '{"error":{"code":"unserialisable-result","message":"result cannot be sent: it is a symbol"}}'],
  ])("gives the browser a text for %s", async (_what, value, text) => {
    const { runtime, context } = await setUp({ tools: [tool({ name: "give", description: "G.", execute: () => value })] });
    await exposeToBrowser(runtime).ready;
    expect(await context.executeTool({ name: "give" })).toBe(text);
  });

  it("keeps the message of what a handler throws, and the result of a silent tool to itself", async () => {
    const { runtime, context } = await setUp({
      tools: [
        tool({ name: "throws", description: "T.", execute: () => { throw new Error("no stock left"); } }),
        tool({ name: "silent", description: "S.", mode: "silent", execute: () => "secret" }),
      ],
    });
    await exposeToBrowser(runtime).ready;
    expect(await call(context, "throws")).toEqual({ error: { code: "TOOL_EXEC_FAILED", message: expect.stringContaining("no stock left") } });
    expect(await context.executeTool({ name: "silent" })).toBe('"done"');
  });

  it("calls the run off when the browser does, in a handler and in a question", async () => {
    const aborted = vi.fn();
    const started = gate();
    const asking = gate();
    const ran = vi.fn();
    const reports: { name: string; status: string }[] = [];
    const { runtime, context } = await setUp({
      tools: [
        tool({ name: "hang", description: "H.", execute: (_input, { signal }) => { signal.addEventListener("abort", aborted); started.open(); return new Promise(() => undefined); } }),
        tool({ name: "ask", description: "A.", approve: true, execute: ran }),
      ],
      ask: () => asking.open(),
    });
    for (const kind of ["agent.tool.called", "agent.tool.failed"] as const) runtime.on(kind, (event) => reports.push(event));
    await exposeToBrowser(runtime).ready;
    for (const [name, going] of [["hang", started], ["ask", asking]] as const) {
      const controller = new AbortController();
      const running = call(context, name, {}, controller.signal);
      await going.promise;
      controller.abort(new Error("enough"));
      await expect(running).rejects.toThrow("enough");
    }
    await lazily(() => expect(reports).toMatchObject([{ name: "hang", status: "failed", error: { code: "cancelled" } }, { name: "ask", status: "failed", error: { code: "declined" } }]));
    expect(aborted).toHaveBeenCalledOnce();
    expect(ran).not.toHaveBeenCalled();
    expect(runtime.questions.size).toBe(0);
    expect(runtime.pending).toEqual([]);
  });

  it("runs what is to run after an answer when the browser has it, and nothing after a call that was called off", async () => {
    const log: string[] = [];
    const started = gate();
    const leave = tool({ name: "leave", description: "L.", input: { type: "object", properties: { hang: { type: "boolean" } } }, execute: ({ hang }, ctx) => {
      ctx.after(() => log.push("gone"));
      started.open();
      return hang ? new Promise(() => undefined) : "going";
    } });
    const { runtime, context } = await setUp({ tools: [leave] });
    await exposeToBrowser(runtime).ready;
    const controller = new AbortController();
    const hanging = call(context, "leave", { hang: true }, controller.signal).catch(() => undefined);
    await started.promise;
    controller.abort();
    await hanging;
    log.push(String(await call(context, "leave")));
    await lazily(() => expect(log).toEqual(["going", "gone"]));
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(log).toHaveLength(2);
  });

  it("lets calls of one lane run one after another, with those of the engine", async () => {
    const log: string[] = [];
    const gates = [gate(), gate(), gate()];
    const laned = tool({ name: "laned", description: "L.", lane: "one", execute: async () => {
      const at = log.length / 2 | 0;
      log.push(`begin ${at}`);
      await gates[at]?.promise;
      log.push(`end ${at}`);
      return at;
    } });
    const { runtime, context } = await setUp({ tools: [laned] }, {}, oneCall("laned"));
    await exposeToBrowser(runtime).ready;
    const turn = runtime.send("go");
    await lazily(() => expect(log).toEqual(["begin 0"]));
    const [first, second] = [call(context, "laned"), call(context, "laned")];
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(log).toEqual(["begin 0"]);
    for (const one of gates) {
      one.open();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(await Promise.all([first, second])).toEqual([1, 2]);
    expect(log).toEqual(["begin 0", "end 0", "begin 1", "end 1", "begin 2", "end 2"]);
    await turn.finished;
  });

  it("waits for its lane after a person has agreed, too, and its clock with it", async () => {
    const log: string[] = [];
    const [asked, agreed, engines, held] = [gate(), gate<boolean>(), gate(), gate()];
    const hold = tool({ name: "hold", execute: () => (log.push("hold"), held.promise) });
    const asks = tool({ name: "asks", description: "A.", lane: "one", timeout: 60, approve: true, execute: () => void log.push("ours") });
    const laned = tool({ name: "laned", description: "L.", lane: "one", execute: async () => {
      log.push("begin");
      await engines.promise;
      log.push("end");
    } });
    const { runtime, context } = await setUp({ tools: [hold, asks, laned], onApproval: () => (asked.open(), agreed.promise) }, {}, { script: { replies: [{ call: [{ name: "hold" }] }, { call: [{ name: "laned" }] }], otherwise: { say: "ok" } } });
    await exposeToBrowser(runtime, { only: ["asks"] }).ready;
    const turn = runtime.send("go");
    await lazily(() => expect(log.splice(0)).toEqual(["hold"]));
    const ours = call(context, "asks");
    await asked.promise;
    held.open();
    await lazily(() => expect(log).toEqual(["begin"]));
    agreed.open(true);
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(log).toEqual(["begin"]);
    engines.open();
    expect(await ours).toBe(null);
    expect(log).toEqual(["begin", "end", "ours"]);
    await turn.finished;
  });

  it("takes no more than 64 calls at a time, and says so", async () => {
    const { runtime, context } = await setUp({ tools: [tool({ name: "hang", description: "H.", execute: () => new Promise(() => undefined) })] });
    const link = exposeToBrowser(runtime);
    await link.ready;
    const open = Array.from({ length: 64 }, () => call(context, "hang"));
    expect(await call(context, "hang")).toMatchObject({ error: { code: "overloaded" } });
    link.stop();
    expect(await Promise.all(open)).toEqual(open.map(() => ({ error: { code: "cancelled", message: "the call was called off" } })));
  });

  it.each<[string, Parameters<typeof tool>[0], RegExp]>([
    ["a name the browser refuses", { name: "a:b", description: "D.", execute: () => 1 }, /^invalid-tool: tool "a:b" is not offered .* letters, digits/],
    ["no description", { name: "bare", execute: () => 1 }, /^invalid-tool: tool "bare" is not offered .* description/],
    ["an empty description", { name: "bare", description: " ", execute: () => 1 }, /^invalid-tool: tool "bare" is not offered .* description/],
    ["a name another script has", { name: "taken", description: "D.", execute: () => 1 }, /^duplicate-tool: tool "taken" is not offered .* another script/],
  ])("says once, by a warning, that a tool with %s is not offered", async (_what, config, warning) => {
    const { runtime, context, warnings } = await setUp({ tools: [add] });
    context.registerTool({ name: "taken", description: "Theirs.", execute: () => "theirs" });
    await exposeToBrowser(runtime).ready;
    const release = runtime.register(tool(config));
    await lazily(() => expect(warnings()).toEqual([expect.stringMatching(warning)]));
    release();
    runtime.register(tool({ ...config }));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(warnings()).toHaveLength(1);
    expect(await names(context)).toEqual(["add", "taken"]);
    expect(await context.executeTool({ name: "taken" })).toBe("theirs");
  });

  it("two runtimes of one page that offer the same name: the first has it, the second warns", async () => {
    const first = await setUp({ tools: [add] });
    const second = await open({}, { storage: "memory", tools: [tool({ name: "add", description: "Mine.", execute: () => "second" })] });
    const one = exposeToBrowser(first.runtime);
    const two = exposeToBrowser(second.runtime);
    await Promise.all([one.ready, two.ready]);
    expect(second.seen).toMatchObject([{ type: "warning", code: "duplicate-tool" }]);
    two.stop();
    expect(await call(first.context, "add", { a: 1, b: 1 })).toBe(2);
    await adoptFromBrowser(second.runtime, { prefix: "p_" }).ready;
    expect(second.runtime.declarations().map(({ name }) => name)).toEqual(["add"]);
  });

  const rich = {
    type: "object",
    properties: { when: { type: "string", format: "date" }, format: { type: "string" }, who: { $ref: "#/$defs/who" } },
    required: ["when"],
    additionalProperties: { type: "string" },
    $defs: { who: { type: "object", properties: { mail: { type: "string", format: "email" } }, required: ["mail"] } },
  } as const;

  it("shows a reduced schema where the browser refuses the full one, and goes on checking by that", async () => {
    const { runtime, context, warnings } = await setUp({ tools: [tool({ name: "meet", description: "M.", input: rich, execute: () => "met" })] }, { refuses: (schema) => (refusedKeyword(schema) ? new DOMException("unsupported", "NotSupportedError") : undefined) });
    await exposeToBrowser(runtime).ready;
    expect(context.tools.get("meet")?.inputSchema).toEqual({
      type: "object",
      properties: { when: { type: "string" }, format: { type: "string" }, who: { type: "object", properties: { mail: { type: "string" } }, required: ["mail"] } },
      required: ["when"],
    });
    expect(warnings()).toEqual([expect.stringMatching(/^invalid-schema: the browser refuses the input schema of tool "meet"/)]);
    expect(await call(context, "meet", { when: "tomorrow", who: {} })).toMatchObject({ error: { code: "SCHEMA_VALIDATION_FAILED", message: expect.stringMatching(/mail/) } });
    expect(await call(context, "meet", { when: "2026-01-01" })).toBe("met");
  });

  it("shows no schema where even that is refused, whatever the refusal is called", async () => {
    const { runtime, context, warnings } = await setUp({ tools: [tool({ name: "meet", description: "M.", input: rich, execute: () => "met" })] }, { refuses: (schema) => (JSON.stringify(schema) === '{"type":"object"}' ? undefined : new DOMException("bad schema", "InvalidStateError")) });
    await exposeToBrowser(runtime).ready;
    expect(context.tools.get("meet")?.inputSchema).toEqual({ type: "object" });
    expect(warnings()).toEqual([expect.stringMatching(/^invalid-schema: .*no schema at all/)]);
  });

  it.each<[string, DOMException, RegExp]>([
    ["an origin that is not its own", new DOMException("document.domain", "SecurityError"), /^unsupported-environment: .*`Origin-Agent-Cluster: \?1`/],
    ["a permissions policy", new DOMException("policy", "NotAllowedError"), /^unsupported-environment: .*`Permissions-Policy: tools=\(self\)`/],
  ])("says which header to send, once and without throwing, where the browser refuses %s", async (_what, barred, warning) => {
    const { runtime, context, warnings } = await setUp({ tools: [add, tool({ name: "two", description: "T.", execute: () => 2 })] }, { barred });
    await exposeToBrowser(runtime).ready;
    await adoptFromBrowser(runtime).ready;
    expect(warnings()).toEqual([expect.stringMatching(warning), expect.stringMatching(warning)]);
    const tried = vi.spyOn(context, "registerTool");
    runtime.register(tool({ name: "three", description: "T.", execute: () => 3 }));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(warnings()).toHaveLength(2);
    expect(tried).not.toHaveBeenCalled();
  });

  it("says so where the browser has no WebMCP", async () => {
    const { runtime, warnings } = await setUp({ tools: [add] });
    vi.stubGlobal("document", new EventTarget());
    await exposeToBrowser(runtime).ready;
    expect(warnings()).toEqual([expect.stringMatching(/^unsupported-environment: this browser has no document.modelContext/)]);
  });

  it("works with the older API on navigator, which knows no signal", async () => {
    const { runtime, context } = await setUp({ tools: [add] }, { place: "navigator", older: true, texts: true });
    const link = exposeToBrowser(runtime);
    await link.ready;
    expect(await call(context, "add", { a: 2, b: 2 })).toBe(4);
    link.stop();
    expect(await names(context)).toEqual([]);
  });
});

it("refuses options that cannot work, and nothing else is thrown", async () => {
  const { runtime } = await setUp();
  for (const start of [exposeToBrowser, adoptFromBrowser] as ((runtime: unknown, options?: unknown) => unknown)[]) {
    for (const given of [undefined, null, {}, 5]) expect(() => start(given)).toThrow(/^the first argument must be a runtime/);
    for (const only of ["add", [1], {}]) expect(() => start(runtime, { only })).toThrow(/^option `only` must be a list of names/);
    expect(() => start(runtime, null)).toThrow(/^the options must be/);
    expect(() => start(runtime, { signal: {} })).toThrow(/^option `signal`/);
  }
  expect(() => adoptFromBrowser(runtime, { prefix: "a b" })).toThrow(/^option `prefix`/);
  await runtime.close();
  exposeToBrowser(runtime).stop();
  adoptFromBrowser(runtime).stop();
});

it("does nothing on a server: importing touches nothing, and neither function warns", async () => {
  const url = new URL("../../pkg/webmcp.js", import.meta.url).href;
  const script = `
    const touched = [];
    for (const name of ["fetch", "setTimeout", "queueMicrotask", "addEventListener"]) globalThis[name] = () => touched.push(name);
    for (const name of ["WebAssembly", "crypto", "navigator", "document"]) Object.defineProperty(globalThis, name, { get() { touched.push(name); }, configurable: true });
    const before = Reflect.ownKeys(globalThis).length;
    await import(${JSON.stringify(url)});
    if (Reflect.ownKeys(globalThis).length !== before) touched.push("a new global");
    process.stdout.write(JSON.stringify(touched));
  `;
  expect(execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" })).toBe("[]");
  const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  onTestFinished(() => warned.mockRestore());
  const { runtime, seen } = await open({}, { tools: [add] });
  await exposeToBrowser(runtime).ready;
  await adoptFromBrowser(runtime).ready;
  expect(seen.filter((event) => event.type === "warning")).toEqual([]);
  expect(warned).not.toHaveBeenCalled();
});
