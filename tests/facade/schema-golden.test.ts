/**
 * The texts for wrong calls, from the file that the tests of the Rust sources read, through what ships: the schema file,
 * and for some of them a whole call.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Issue, type JsonSchema, tool } from "pagehand";
import { compile } from "pagehand/schema";
import { oneCall, open } from "./page.ts";

interface Golden {
  name: string;
  tool: string;
  call: string;
  reads: string;
}

const read = (name: string) => readFileSync(new URL(`../fixtures/${name}`, import.meta.url), "utf8");
const cases = JSON.parse(read("schema-golden/calls.json")) as Golden[];
const publicTools = read("tool-schemas.jsonl").split("\n").filter(Boolean).map((line) => JSON.parse(line) as { name: string; inputSchema: JsonSchema });
const schemas: Record<string, JsonSchema> = {
  ...Object.fromEntries(publicTools.map((one) => [one.name, one.inputSchema])),
  ...(JSON.parse(read("schema-golden/schemas.json")) as Record<string, JsonSchema>),
};
const schemaOf = (one: Golden): JsonSchema => {
  const schema = schemas[one.tool];
  if (schema === undefined) throw new Error(`no schema of ${one.tool}`);
  return schema;
};

function render(issues: Issue[]): string {
  const told = issues.slice(0, 3).map((issue) => (issue.hint ? `${issue.message} (${issue.hint})` : issue.message));
  return told.join("; ") + (issues.length > 3 ? ` (+${issues.length - 3} more)` : "");
}

describe("the schema file reads a wrong call as the sources do", () => {
  it.each(cases.map((one) => [one.name, one] as const))("%s", async (_name, one) => {
    const schema = await compile(schemaOf(one));
    expect(render(schema.check(one.call))).toBe(one.reads);
  });
});

describe("the model reads it as the answer to its call", () => {
  const picked = ["a misspelt property", "many at once", "a filter that leaves out its operator", "mongodb: a method of another name"];
  it.each(cases.filter((one) => picked.includes(one.name)).map((one) => [one.name, one] as const))("%s", async (_name, one) => {
    const { engine, runtime } = await open(oneCall(one.tool, one.call), {
      tools: [tool({ name: one.tool, input: schemaOf(one), execute: () => "never" })],
    });
    const { report } = await runtime.send("go").finished;
    const said = `invalid tool arguments: ${one.reads}`;
    expect(report.children).toMatchObject([{ error: { code: "SCHEMA_VALIDATION_FAILED", message: said } }]);
    const call = engine.calls(runtime.sessionId)[0];
    expect(call).toMatchObject({ status: "errored", rendered: said });
    expect(JSON.stringify(call?.settlements[0]?.body)).toContain("tool.error");
  });
});
