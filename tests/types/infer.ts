/**
 * What a handler gets, inferred from a JSON Schema literal or a Standard Schema.
 */
import { type FromSchema, type StandardSchema, type Tool, tool } from "pagehand";
import type { Equal, Expect } from "./equal.js";

tool({
  name: "address",
  input: {
    type: "object",
    properties: {
      street: { type: "string" },
      zip: { type: "string", pattern: "^\\d+$" },
      floor: { type: "integer" },
      kind: { enum: ["home", "work"] },
      tags: { type: "array", items: { type: "string" } },
      geo: { type: "object", properties: { lat: { type: "number" }, lon: { type: "number" } }, required: ["lat", "lon"] },
      note: { type: ["string", "null"] },
      either: { anyOf: [{ type: "boolean" }, { type: "number" }] },
      fixed: { const: 7 },
      free: {},
    },
    required: ["street", "kind", "geo"],
    additionalProperties: false,
  },
  execute: (input) => {
    type Input = typeof input;
    type _ = [
      Expect<Equal<Input["street"], string>>,
      Expect<Equal<Input["kind"], "home" | "work">>,
      Expect<Equal<Input["geo"], { lat: number; lon: number }>>,
      Expect<Equal<Input["floor"], number | undefined>>,
      Expect<Equal<Input["tags"], string[] | undefined>>,
      Expect<Equal<Input["note"], string | null | undefined>>,
      Expect<Equal<Input["either"], boolean | number | undefined>>,
      Expect<Equal<Input["fixed"], 7 | undefined>>,
      Expect<Equal<Input["free"], unknown>>,
    ];
    // @ts-expect-error there is no such property
    input.city;
    // @ts-expect-error it may be missing
    input.floor.toFixed();
    return input.street;
  },
});

type _Schemas = [
  Expect<Equal<FromSchema<{ type: "object" }>, Record<string, unknown>>>,
  Expect<Equal<FromSchema<{ type: "object"; additionalProperties: { type: "number" } }>, Record<string, number>>>,
  Expect<Equal<FromSchema<{ type: "array" }>, unknown[]>>,
  Expect<Equal<FromSchema<{ oneOf: [{ type: "string" }, { type: "null" }] }>, string | null>>,
  Expect<Equal<FromSchema<true>, unknown>>,
  Expect<Equal<FromSchema<false>, never>>,
  Expect<Equal<FromSchema<{ $ref: "#/$defs/a" }>, unknown>>,
  Expect<Equal<FromSchema<{ type: string }>, unknown>>,
];

declare const numbers: StandardSchema<{ n: string }, { n: number }>;

const counted = tool({
  name: "count",
  input: numbers,
  output: { type: "object", properties: { total: { type: "number" } }, required: ["total"] },
  action: ({ n }) => `Counting to ${n.toFixed()}`,
  approve: ({ n }) => n > 3,
  execute: ({ n }, ctx) => {
    type _ = [Expect<Equal<typeof n, number>>, Expect<Equal<typeof ctx.signal, AbortSignal>>];
    ctx.artifacts.seen = n;
    ctx.progress();
    // @ts-expect-error the context is not for writing
    ctx.callId = "x";
    return { total: n };
  },
});

async function results() {
  const { data, error, report } = await counted.invoke({ n: "1" });
  type _ = [Expect<Equal<typeof data, { total: number } | undefined>>, Expect<Equal<typeof report.type, "tool">>];
  return error?.code;
}

const plain = tool({ name: "plain", execute: async (input) => Object.keys(input).length });
async function plainResult() {
  const { data } = await plain.invoke();
  type _ = Expect<Equal<typeof data, number | undefined>>;
}

// A list may mix tools of different inputs.
const mixed: Tool[] = [counted, plain];

// @ts-expect-error a tool needs its function
tool({ name: "no function" });
// @ts-expect-error a mode that is none
tool({ name: "t", mode: "quiet", execute: () => 1 });

export { mixed, plainResult, results };
export type { _Schemas };
