/**
 * The table of arguments, through whole calls: what the handler got, or what the engine recorded as the answer. The
 * function that reads numbers and keys has tests of its own (`parse.test.ts`), the grammar too (`schema_values.rs`).
 */
import assert from "node:assert/strict";
import { beforeAll, describe, expect, it } from "vitest";
import { type RuntimeOptions, createRuntime, tool } from "pagehand";
import { type EngineCall, createTestEngine } from "pagehand/testing";
import { type ArgumentCase, ARGUMENTS, INVALID_UTF8, LARGE_ARGUMENTS } from "../values/arguments.ts";
import { BRISK } from "./page.ts";

const label = (one: ArgumentCase) => (one.name ? `${one.row}: ${one.name}` : one.row);

interface Seen {
  calls: Map<string, EngineCall>;
  got: Map<string, unknown>;
  ends: Map<string, string | undefined>;
}

/** One reply of the model with every call, and what became of each. */
async function run(cases: ArgumentCase[], options: Partial<RuntimeOptions> = {}): Promise<Seen> {
  const toolCalls = cases.map((one, index) => ({ name: "take", arguments: one.text, id: `call_${index}` }));
  let asked = 0;
  // A model of the test's own: a script would stream the arguments word by word.
  const engine = await createTestEngine({ model: () => (asked++ === 0 ? { toolCalls } : { text: "Done." }) });
  const seen: Seen = { calls: new Map(), got: new Map(), ends: new Map() };
  const take = tool({
    name: "take",
    execute: (input, { callId }) => {
      seen.got.set(callId, input);
      return "taken";
    },
  });
  const runtime = await createRuntime({ engine: engine.url, agent: "shop", token: () => engine.token(), fetch: engine.fetch, tools: [take], ...options, tuning: BRISK });
  runtime.on("agent.tool.failed", (event) => seen.ends.set(event.callId, event.error?.code));
  try {
    await runtime.send("go").finished;
    for (const one of engine.calls(runtime.sessionId)) seen.calls.set(one.id, one);
  } finally {
    await runtime.close();
    await engine.close();
  }
  return seen;
}

function check(seen: Seen, one: ArgumentCase, index: number, gets: unknown) {
  const id = `call_${index}`;
  const call = seen.calls.get(id);
  expect(call?.settlements.filter((settlement) => settlement.accepted)).toHaveLength(1);
  if (one.error) {
    expect(seen.got.has(id)).toBe(false);
    expect(call?.rendered).toMatch(one.error);
    expect(seen.ends.get(id)).toBe("malformed-arguments");
  } else {
    expect(call?.rendered).toBe("taken");
    // Not `toStrictEqual`, which takes a key `constructor` for the constructor.
    assert.deepStrictEqual(seen.got.get(id), gets);
  }
}

describe("numbers and keys as they were written", () => {
  let seen: Seen;
  beforeAll(async () => {
    seen = await run(ARGUMENTS);
  }, 60_000);
  it.each(ARGUMENTS.map((one, index) => [label(one), one, index] as const))("%s", (_label, one, index) => {
    check(seen, one, index, one.gets);
  });

  it("no key of the arguments reaches another object", () => {
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    for (const [id, value] of seen.got) {
      expect(Object.getPrototypeOf(value), id).toBe(Object.prototype);
      expect((value as { polluted?: unknown }).polluted, id).toBeUndefined();
    }
  });
});

describe('numbers rounded, with `numbers: "number"`', () => {
  let seen: Seen;
  beforeAll(async () => {
    seen = await run(ARGUMENTS, { numbers: "number" });
  }, 60_000);
  it.each(ARGUMENTS.map((one, index) => [label(one), one, index] as const))("%s", (_label, one, index) => {
    check(seen, one, index, one.rounded ?? one.gets);
  });
});

describe("large arguments", () => {
  it.each(LARGE_ARGUMENTS.map((one) => [label(one), one] as const))("%s", async (_label, one) => {
    check(await run([one]), one, 0, one.gets);
  }, 60_000);
});

describe("the stream", () => {
  it(label(INVALID_UTF8), async () => {
    const mark = new TextEncoder().encode("@@@");
    const spoil = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(bytes, controller) {
        const spoilt: number[] = [];
        for (let at = 0; at < bytes.length; at += 1) {
          if (mark.every((byte, index) => bytes[at + index] === byte)) {
            spoilt.push(0xff);
            at += mark.length - 1;
          } else spoilt.push(bytes[at] ?? 0);
        }
        controller.enqueue(Uint8Array.from(spoilt));
      },
    });
    const text = INVALID_UTF8.text.replace("\ufffd", "@@@");
    const engine = await createTestEngine({ deltaIntervalMs: 1, script: { replies: [{ call: [{ name: "take", arguments: text, id: "call_0" }] }], otherwise: { say: "Done." } } });
    const got: unknown[] = [];
    let spoiled = false;
    const runtime = await createRuntime({
      engine: engine.url,
      agent: "shop",
      token: () => engine.token(),
      fetch: async (request) => {
        const response = await engine.fetch(request);
        if (spoiled || !response.headers.get("content-type")?.includes("event-stream") || !response.body) return response;
        spoiled = true;
        return new Response(response.body.pipeThrough(spoil), response);
      },
      tools: [tool({ name: "take", execute: (input) => got.push(input) })],
      tuning: BRISK,
    });
    await runtime.send("go").finished;
    expect(spoiled).toBe(true);
    expect(got).toStrictEqual([INVALID_UTF8.gets]);
    await runtime.close();
    await engine.close();
  });
});
