/** A page in a browser with WebMCP: a runtime, a browser's place around it, and what an agent of the browser reads. */
import { vi } from "vitest";
import { type RuntimeOptions, type WarningEvent, tool } from "pagehand";
import { type FakeModelContext, type FakeOptions, browserWith } from "./model-context.ts";
import { open } from "./page.ts";

export const add = tool({
  name: "add",
  description: "Adds.",
  input: { type: "object", properties: { a: { type: "integer" }, b: { type: "integer" } }, required: ["a", "b"], additionalProperties: false },
  annotations: { readOnly: true },
  execute: ({ a, b }) => Number(a) + Number(b),
});

/** A runtime, then a browser around it: what a runtime itself does with a document is no matter here. */
export async function setUp(options: Partial<RuntimeOptions> = {}, browser: FakeOptions = {}, engine = {}) {
  const page = await open(engine, { storage: "memory", ...options });
  await page.runtime.clear();
  const context = browserWith(browser);
  const warnings = () => page.seen.filter((event): event is WarningEvent => event.type === "warning").map(({ code, message }) => `${code}: ${message}`);
  return { ...page, context, warnings };
}

/** What a browser's agent reads of a call. */
export async function call(context: FakeModelContext, name: string, input: unknown = {}, signal?: AbortSignal): Promise<unknown> {
  const text = await context.executeTool({ name }, input, signal ? { signal } : {});
  return JSON.parse(String(text));
}

export const names = async (context: FakeModelContext) => [...context.tools.keys()].sort();
export const lazily = (check: () => unknown) => vi.waitFor(check, { timeout: 3_000 });
