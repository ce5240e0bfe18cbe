/**
 * Runs the cases of `dom.js` in this page: each through the function that makes the text, and all through whole calls
 * against an engine in this page. What came out is left in `globalThis.outcome`.
 */
import { createRuntime, tool } from "../../pkg/index.js";
import { messageOf } from "../../pkg/errors.js";
import { serialise as withWords } from "../../pkg/serialise.js";
import { createTestEngine } from "../../pkg/testing.js";
import { DOM } from "./dom.js";

const serialise = (value) => withWords(value, messageOf);

async function run() {
  const made = [];
  for (const one of DOM) made.push(await serialise(one.make()).catch((error) => ({ error: error.message })));
  const call = DOM.map((_one, index) => ({ name: "give", arguments: { index }, id: `call_${index}` }));
  const engine = await createTestEngine({ deltaIntervalMs: 1, script: { replies: [{ call }], otherwise: { say: "Done." } } });
  const runtime = await createRuntime({
    engine: engine.url,
    agent: "shop",
    token: () => engine.token(),
    fetch: engine.fetch,
    tools: [tool({ name: "give", execute: ({ index }) => DOM[index].make() })],
  });
  await runtime.send("go").finished;
  const calls = engine.calls(runtime.sessionId);
  await runtime.close();
  await engine.close();
  return { made, calls };
}

globalThis.outcome = await run().catch((error) => ({ failed: String(error) }));
