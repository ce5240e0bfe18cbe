/**
 * WebMCP's surface: any runtime fits, options are what they should be, and a link can be held by `using`.
 */
import { createRuntime } from "pagehand";
import { type AdoptOptions, type BrowserLink, type ExposeOptions, adoptFromBrowser, exposeToBrowser } from "pagehand/webmcp";
import type { Equal, Expect } from "./equal.js";

async function use(signal: AbortSignal) {
  const runtime = await createRuntime({ engine: "https://engine.example.com", agent: "a", artifactsSchema: { type: "object", properties: { a: { type: "string" } } } });
  const expose: ExposeOptions = { only: ["a"], signal };
  const adopt: AdoptOptions = { only: ["a"], prefix: "p_", approve: "once", signal: undefined };
  const link = exposeToBrowser(runtime, expose);
  const other = adoptFromBrowser(runtime, adopt);
  await link.ready;
  link[Symbol.dispose]();
  // @ts-expect-error names are a list
  exposeToBrowser(runtime, { only: "a" });
  // @ts-expect-error tools are offered by their own names
  exposeToBrowser(runtime, { prefix: "p_" });
  // @ts-expect-error only a runtime will do
  adoptFromBrowser({});
  const { error } = await runtime.invoke("a", {}, { signal });
  return [link, other, error] as const;
}

type Made = Awaited<ReturnType<typeof use>>;

export type Checks = [Expect<Equal<Made[0], BrowserLink>>, Expect<Equal<Made[1], BrowserLink>>];
