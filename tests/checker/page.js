/** The comparison in a page, and the forty tools in a runtime whose engine is never reached. */
import { createRuntime, tool } from "../../pkg/index.js";
import initChecker, { RawSmall } from "../../pkg/wasm/checker.js";
import initSchema, { RawSchema } from "../../pkg/wasm/schema.js";
import { answer, chanceOf, compareRandom, compareSuite, compareTools } from "./compare.js";

const text = async (path) => (await fetch(new URL(path, import.meta.url))).text();

const plain = ({ taken, left, right, wrong, differences }) => ({ taken, left, right, wrong, differences });

/** Everything compared as in Node. */
globalThis.compare = async () => {
  await initChecker({ module_or_path: new URL("../../pkg/wasm/checker_bg.wasm", import.meta.url) });
  await initSchema({ module_or_path: new URL("../../pkg/wasm/schema_bg.wasm", import.meta.url) });
  const glue = { RawSmall, RawSchema };
  const drafts = [];
  for (const draft of ["draft7", "draft2019-09", "draft2020-12"]) {
    drafts.push(plain(compareSuite(glue, draft, JSON.parse(await text(`../fixtures/json-schema-suite/${draft}.json`)))));
  }
  const tools = plain(compareTools(glue, await text("../fixtures/tool-schemas.jsonl"), 40));
  return { drafts, tools, random: plain(compareRandom(glue, 300)) };
};

/** Registers the tools of all lines that ask for something, and runs each with a dozen values. Gives what became of them. */
globalThis.runTools = async () => {
  const lines = (await text("../fixtures/tool-schemas.jsonl")).trim().split("\n");
  const schemas = lines.map((line) => JSON.parse(line).inputSchema).filter(({ properties = {} }) => Object.keys(properties).length > 0);
  const tools = schemas.map((input, at) => tool({ name: `tool_${at}`, description: "One of forty.", input, execute: () => "done" }));
  const runtime = await createRuntime({ engine: location.origin, agent: "none", storage: "memory", tools });
  const ends = { done: 0, refused: 0, other: [] };
  for (const [at, schema] of schemas.entries()) {
    for (let seed = 0; seed < 12; seed += 1) {
      const value = answer(chanceOf(seed), schema, schema);
      if (!value.startsWith("{")) continue;
      const { data, error } = await runtime.invoke(`tool_${at}`, JSON.parse(value));
      if (data === "done") ends.done += 1;
      else if (error?.code === "SCHEMA_VALIDATION_FAILED") ends.refused += 1;
      else ends.other.push(`${value}: ${error}`);
    }
  }
  await runtime.close();
  return ends;
};

globalThis.ready = true;
