/**
 * The package without a bundler: imported by a relative path, its WASM fetched from beside its JavaScript.
 * Runs one tool through the runtime without a model, and shows what came out.
 */
import { createRuntime, tool } from "./pkg/index.js";
import { compile } from "./pkg/schema.js";

const outcome = document.getElementById("outcome");

const greet = tool({
  name: "greet",
  input: { type: "object", properties: { name: { type: "string", minLength: 1 } }, required: ["name"] },
  execute: ({ name }) => `Hello, ${name}`,
});

async function run() {
  const runtime = await createRuntime({ engine: location.origin, agent: "none", tools: [greet] });
  const good = await runtime.invoke("greet", { name: "page" });
  const bad = await runtime.invoke("greet", { name: "" });
  const schema = await compile({ type: "integer" });
  const issues = await schema.check("1.5");
  await runtime.close();
  outcome.textContent = `${good.data}; ${bad.error.code}; ${issues.length} issue`;
}

run().catch((error) => (outcome.textContent = `${error.code ?? error.name}: ${error.message}`));
