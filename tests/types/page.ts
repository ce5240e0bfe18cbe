/**
 * The page tools' surface: options, and tools that any runtime takes.
 */
import { type Tool, createRuntime, tool } from "pagehand";
import { type PageToolName, type PageToolsOptions, init, pageTools } from "pagehand/page";
import type { Equal, Expect } from "./equal.js";

async function use() {
  await init(fetch("/page.wasm"));
  const options: PageToolsOptions = { root: document.body, allow: "main", deny: ".no", mask: undefined };
  const tools = await pageTools(options);
  const asked = tools.map((one) => tool({ ...one, approve: false }));
  await createRuntime({ engine: "https://engine.example.com", agent: "a", token: () => undefined, tools: [...tools] });
  // @ts-expect-error a selector is text
  await pageTools({ deny: 1 });
  return [tools, asked] as const;
}

type Made = Awaited<ReturnType<typeof use>>;

export type Checks = [Expect<Equal<Made[0], readonly Tool[]>>, Expect<Equal<"click" extends PageToolName ? true : false, true>>];
