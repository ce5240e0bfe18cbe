/**
 * Validators of JSON Schema over two tools that people ship: what a compile takes, and a check of a call's text as it
 * came. All get the schema as an object and the call as text; who needs a value parses the text first. Every contender
 * must say yes to what is valid and no to what is not.
 */
import Ajv from "ajv/dist/2020.js";
import { Validator } from "@cfworker/json-schema";
import { z } from "zod";
import { compile } from "pagehand/schema";
import { inTurns } from "./rounds.mjs";

/** A call for each of the schemas, and the same with one thing wrong. */
const calls = {
  typical: {
    valid: { url: "https://example.com/tea?sort=price", max_length: 20_000, start_index: 0, raw: true },
    broken: { url: "https://example.com/tea?sort=price", max_length: "20000", start_index: 0, raw: true },
  },
  nested: {
    valid: {
      path: "/reports/tea.xlsx",
      sheet: "Harvest",
      layout: {
        column_widths_chars: { A: 12, B: 30.5, "C:E": 9 },
        freeze_panes: "B2",
        auto_filter: { range: "A1:E200", filters: [{ column: "B", type: "compare", conditions: [{ operator: "greater_than", value: 12 }, { operator: "less_than", value: 90 }], combine: "and" }] },
        rows: [{ span: "4:9", action: "group" }],
        print_setup: { orientation: "landscape", paper_size: "a4", scale: 80, margins_cm: { left: 1.5, right: 1.5 }, header: { center: "Harvest, first flush" } },
        protection: { enabled: true, allow: ["sort", "auto_filter"] },
        view: { zoom: 120, gridlines: false },
      },
    },
  },
};
calls.nested.broken = structuredClone(calls.nested.valid);
calls.nested.broken.layout.auto_filter.filters[0].conditions[1].operator = "smaller";

const ajv = () => new Ajv({ strict: false, validateFormats: false, addUsedSchema: false });

/** Each validator: from a schema to a function that tells of a text whether it fits. */
const validators = {
  pagehand: async (schema) => {
    const compiled = await compile(schema);
    return (text) => compiled.check(text).length === 0;
  },
  ajv: (schema) => {
    const check = ajv().compile(schema);
    return (text) => check(JSON.parse(text));
  },
  cfworker: (schema) => {
    const validator = new Validator(schema, "2020-12", true);
    return (text) => validator.validate(JSON.parse(text)).valid;
  },
  zod: (schema) => {
    const compiled = z.fromJSONSchema(schema);
    return (text) => compiled.safeParse(JSON.parse(text)).success;
  },
};

/** Ajv caches by the object; an instance is made once, as an app would, and each compile gets a schema of its own. */
function compilers(schema) {
  const text = JSON.stringify(schema);
  const one = ajv();
  const fresh = () => JSON.parse(text);
  return [
    { name: "pagehand", run: () => compile(fresh()) },
    { name: "ajv", run: () => void one.compile(fresh()) },
    { name: "cfworker", run: () => void new Validator(fresh(), "2020-12", true) },
    { name: "zod", run: () => void z.fromJSONSchema(fresh()) },
  ];
}

/** Measures over `schemas`, `{ typical, nested }`. Resolves to microseconds by what was done and by contender. */
export async function measureSchemas(schemas, { rounds, sampleMs }) {
  const found = {};
  for (const [kind, schema] of Object.entries(schemas)) {
    const ready = {};
    for (const [name, make] of Object.entries(validators)) ready[name] = await make(structuredClone(schema));
    found[`compile ${kind}`] = await inTurns(compilers(schema), { rounds, sampleMs });
    for (const [which, value] of Object.entries(calls[kind])) {
      const text = JSON.stringify(value);
      for (const [name, check] of Object.entries(ready)) {
        if (check(text) !== (which === "valid")) throw new Error(`${name} took a ${which} ${kind} call for the other`);
      }
      const contenders = Object.entries(ready).map(([name, check]) => ({ name, run: () => check(text) }));
      contenders.push({ name: "JSON.parse alone", run: () => JSON.parse(text) });
      found[`check ${which} ${kind}`] = await inTurns(contenders, { rounds, sampleMs });
    }
  }
  return Object.fromEntries(Object.entries(found).map(([what, taken]) => [what, Object.fromEntries(Object.entries(taken).map(([name, ms]) => [name, ms * 1000]))]));
}
