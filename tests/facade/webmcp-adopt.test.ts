/** Other scripts' tools adopted from the browser, against a fake that does what Chromium does. */
import { describe, expect, it, vi } from "vitest";
import { tool } from "pagehand";
import { adoptFromBrowser, exposeToBrowser } from "pagehand/webmcp";
import type { FakeOptions } from "./model-context.ts";
import { gate, oneCall } from "./page.ts";
import { add, lazily, names, setUp } from "./webmcp-page.ts";

describe("adoptFromBrowser", () => {
  const theirs = (over: object = {}) => ({ name: "theirs", description: "Theirs.", inputSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] }, execute: (input: unknown) => ({ got: input }), ...over });

  it.each<[string, FakeOptions]>([
    ["schemas as objects", {}],
    ["schemas as texts", { texts: true }],
    ["the older API on navigator", { place: "navigator", older: true, texts: true }],
  ])("makes client tools of other scripts' tools, for the model: %s", async (_how, browser) => {
    const { runtime, context } = await setUp({}, browser, oneCall("theirs", { n: 7 }));
    await context.registerTool(theirs({ annotations: { readOnlyHint: true, untrustedContentHint: true } }));
    await adoptFromBrowser(runtime).ready;
    expect(runtime.declarations()).toEqual([{ name: "theirs", description: "Theirs.", input: theirs().inputSchema, handler: "client" }]);
    const { report } = await runtime.send("go").finished;
    expect(report.children).toMatchObject([{ name: "theirs", status: "completed", output: { got: { n: 7 } } }]);
    expect((await runtime.invoke("theirs", { n: "x" })).error?.code).toBe("SCHEMA_VALIDATION_FAILED");
  });

  it("takes hints over: what has consequences is asked about", async () => {
    const asked = vi.fn((_approval: { tool: { annotations?: unknown } }) => false);
    const { runtime, context } = await setUp({ onApproval: asked });
    await context.registerTool(theirs({ annotations: { consequentialHint: true, untrustedContentHint: true } }));
    await adoptFromBrowser(runtime).ready;
    expect((await runtime.invoke("theirs", { n: 1 })).error?.code).toBe("declined");
    expect(asked.mock.calls[0]?.[0].tool.annotations).toEqual({ destructive: true, untrusted: true });
  });

  it("asks about all of them where it is told to", async () => {
    const { runtime, context } = await setUp({ onApproval: () => false });
    await context.registerTool(theirs());
    await adoptFromBrowser(runtime, { approve: "always" }).ready;
    expect((await runtime.invoke("theirs", { n: 1 })).error?.code).toBe("declined");
  });

  it("follows the list: tools that come, change and go", async () => {
    const { runtime, context } = await setUp();
    await adoptFromBrowser(runtime).ready;
    const controller = new AbortController();
    await context.registerTool(theirs(), { signal: controller.signal });
    await lazily(() => expect(runtime.declarations()).toMatchObject([{ description: "Theirs." }]));
    controller.abort();
    await context.registerTool(theirs({ description: "Changed." }));
    await lazily(() => expect(runtime.declarations()).toMatchObject([{ description: "Changed." }]));
    context.tools.clear();
    context.dispatchEvent(new Event("toolchange"));
    await lazily(() => expect(runtime.declarations()).toEqual([]));
  });

  it("lets go of all of them when it is stopped, and listens no more", async () => {
    const { runtime, context } = await setUp({ tools: [add] });
    const controller = new AbortController();
    await context.registerTool(theirs());
    await adoptFromBrowser(runtime, { signal: controller.signal }).ready;
    expect(runtime.declarations()).toHaveLength(2);
    controller.abort();
    await context.registerTool(theirs({ name: "more" }));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(runtime.declarations().map(({ name }) => name)).toEqual(["add"]);
  });

  it("never adopts what this page offers, nor offers what it adopted", async () => {
    const { runtime, context } = await setUp({ tools: [add] });
    await context.registerTool(theirs());
    await Promise.all([exposeToBrowser(runtime).ready, adoptFromBrowser(runtime, { prefix: "p_" }).ready]);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(runtime.declarations().map(({ name }) => name)).toEqual(["add", "p_theirs"]);
    expect(await names(context)).toEqual(["add", "theirs"]);
  });

  it("knows what it offers, too, where nothing can be put down at the browser's object", async () => {
    const { runtime, context } = await setUp({ tools: [add] });
    Object.preventExtensions(context);
    const [out, back] = [exposeToBrowser(runtime), adoptFromBrowser(runtime, { prefix: "p_" })];
    await Promise.all([out.ready, back.ready]);
    expect(await names(context)).toEqual(["add"]);
    expect(runtime.declarations()).toHaveLength(1);
  });

  it("warns of a name that is taken, and adopts the tool once it is free; with a prefix it is at once", async () => {
    const { runtime, context, warnings } = await setUp();
    const release = runtime.register(tool({ name: "theirs", description: "Ours.", execute: () => 1 }));
    await context.registerTool(theirs());
    await adoptFromBrowser(runtime).ready;
    expect(warnings()).toEqual([expect.stringMatching(/^duplicate-tool: tool "theirs" of another script is not adopted: .*prefix/)]);
    await adoptFromBrowser(runtime, { prefix: "page/", only: ["theirs"] }).ready;
    expect((await runtime.invoke("page/theirs", { n: 1 })).data).toEqual({ got: { n: 1 } });
    release();
    await lazily(() => expect(runtime.declarations().map(({ description }) => description)).toEqual(["Theirs.", "Theirs."]));
  });

  it.each<[string, unknown]>([
    ["no JSON", "{nope"],
    ["a list", "[]"],
    ["a number", 7],
    ["a schema of a megabyte", { description: "x".repeat(1_000_000) }],
    ["a BigInt", { minimum: 1n }],
  ])("adopts a tool whose schema is %s without it, and warns", async (_what, inputSchema) => {
    const { runtime, context, warnings } = await setUp();
    vi.spyOn(context, "getTools").mockResolvedValue([{ name: "odd", description: "Odd.", inputSchema }, null, 5, { name: 7 }, { name: "a b" }, Object.defineProperty({}, "name", { get: () => { throw new Error("no"); } })]);
    await adoptFromBrowser(runtime).ready;
    expect(runtime.declarations()).toEqual([{ name: "odd", description: "Odd.", handler: "client" }]);
    expect(warnings()).toEqual([expect.stringMatching(/^invalid-schema: tool "odd" of another script/), expect.stringMatching(/^invalid-tool: tool "a b"/)]);
  });

  it("breaks nothing by a schema that does not compile", async () => {
    const { runtime, context, warnings } = await setUp();
    await context.registerTool(theirs({ inputSchema: { type: "nonsense" } }));
    await adoptFromBrowser(runtime).ready;
    expect((await runtime.invoke("theirs", { n: 1 })).data).toEqual({ got: { n: 1 } });
    await lazily(() => expect(warnings()).toEqual([expect.stringMatching(/^invalid-schema: .*does not compile/)]));
  });

  it("adopts no more than 128", async () => {
    const { runtime, context, warnings } = await setUp();
    for (let index = 0; index < 130; index += 1) await context.registerTool(theirs({ name: `t${index}` }));
    await adoptFromBrowser(runtime).ready;
    expect(runtime.declarations()).toHaveLength(128);
    expect(warnings()).toEqual([expect.stringMatching(/^overloaded: /)]);
  });

  it.each<[string, unknown, unknown]>([
    ["JSON", '{"a":[1]}', { a: [1] }],
    ["a long integer", "12345678901234567890", 12345678901234567890n],
    ["words", "all done", "all done"],
    ["a value", { a: 1 }, { a: 1 }],
    ["nothing", "", "Operation succeeded"],
  ])("reads a result that is %s", async (_what, given, read) => {
    const { runtime, context } = await setUp();
    await context.registerTool(theirs({ execute: () => given }));
    await adoptFromBrowser(runtime).ready;
    expect((await runtime.invoke("theirs", { n: 1 })).data).toEqual(read);
  });

  it("hands arguments over that JSON has no numbers for, and says of a failure what there is to say", async () => {
    const { runtime, context } = await setUp();
    await context.registerTool(theirs({ execute: ({ n }: { n: number }) => (n > 1e19 ? "big" : Promise.reject(new Error("lost"))) }));
    await adoptFromBrowser(runtime).ready;
    expect((await runtime.invoke("theirs", { n: 12345678901234567890n })).data).toBe("big");
    expect((await runtime.invoke("theirs", { n: 1 })).error).toMatchObject({ code: "TOOL_EXEC_FAILED", message: expect.stringContaining("the browser does not say why") });
  });

  it("has the browser call it off when the call is called off", async () => {
    const { runtime, context } = await setUp();
    const aborted = vi.fn();
    const started = gate();
    await context.registerTool(theirs({ execute: (_input: unknown, { signal }: { signal: AbortSignal }) => new Promise(() => { signal.addEventListener("abort", aborted); started.open(); }) }));
    await adoptFromBrowser(runtime).ready;
    const controller = new AbortController();
    const running = runtime.invoke("theirs", { n: 1 }, { signal: controller.signal });
    await started.promise;
    controller.abort();
    expect((await running).error?.code).toBe("cancelled");
    expect(aborted).toHaveBeenCalledOnce();
  });

  it("says so where the browser lists no tools", async () => {
    const { runtime, context, warnings } = await setUp();
    Object.assign(context, { getTools: undefined });
    await adoptFromBrowser(runtime).ready;
    expect(warnings()).toEqual([expect.stringMatching(/^unsupported-environment: .*getTools/)]);
  });
});
