/** Ours: a runtime with one tool, ready when the tool has run with arguments that were checked. */
import { createRuntime, tool } from "pagehand";
import { schema, text } from "./call.mjs";

/** `wasm` is where the runtime's file comes from, if not from the package's own address. */
export async function start(wasm, input = schema) {
  const read = tool({ name: "read", input, execute: () => "read" });
  const runtime = await createRuntime({ engine: "/none", agent: "a", tools: [read], wasm });
  const { data, error } = await runtime.invoke("read", JSON.parse(text));
  if (data !== "read") throw error ?? new Error("the tool did not run");
}
