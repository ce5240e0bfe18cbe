/**
 * The table of results, twice: through the function that makes the text, and through a whole call, by what the
 * engine recorded and its model reads.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RuntimeEvent, createRuntime, tool } from "pagehand";
import { type EngineCall, createTestEngine } from "pagehand/testing";
import { messageOf } from "../../src/js/errors.ts";
import { serialise } from "../../src/js/serialise.ts";
import { RESULTS, type ResultCase } from "../values/results.ts";
import { BRISK } from "./page.ts";

const label = (one: ResultCase) => (one.name ? `${one.row}: ${one.name}` : one.row);
/** What only the runtime refuses: the function makes any size. */
const bySize = (one: ResultCase) => one.row === "A result larger than the cap";

describe("through the function", () => {
  it.each(RESULTS.map((one) => [label(one), one] as const))("%s", async (_label, one) => {
    if (one.error && !bySize(one)) return expect(serialise(one.make(), messageOf)).rejects.toThrow(one.error);
    const { json, media } = await serialise(one.make(), messageOf);
    if (one.error) return;
    expect(json).toBe(one.json);
    expect(media === undefined ? undefined : JSON.parse(media)).toEqual(one.media);
  });
});

describe("through a whole call", () => {
  const calls = new Map<string, EngineCall>();
  const codes = new Map<string, string>();
  const close: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    const call = RESULTS.map((_one, index) => ({ name: "give", arguments: { index }, id: `call_${index}` }));
    const engine = await createTestEngine({ deltaIntervalMs: 1, script: { replies: [{ call }], otherwise: { say: "Done." } } });
    const runtime = await createRuntime({
      engine: engine.url,
      agent: "shop",
      token: () => engine.token(),
      fetch: engine.fetch,
      tuning: BRISK,
      tools: [tool({ name: "give", execute: (input) => RESULTS[(input as { index: number }).index]?.make() })],
    });
    close.push(() => runtime.close(), () => engine.close());
    runtime.on("agent.tool.failed", (event: RuntimeEvent & { callId: string; error?: { code: string } }) => codes.set(event.callId, event.error?.code ?? ""));
    await runtime.send("go").finished;
    for (const one of engine.calls(runtime.sessionId)) calls.set(one.id, one);
  }, 60_000);
  afterAll(async () => {
    for (const end of close) await end();
  });

  it.each(RESULTS.map((one, index) => [label(one), one, index] as const))("%s", (_label, one, index) => {
    const call = calls.get(`call_${index}`);
    expect(call?.settlements.filter((settlement) => settlement.accepted)).toHaveLength(1);
    if (one.error) {
      expect(call?.status).toBe("errored");
      expect(call?.rendered).toMatch(one.error);
      expect(codes.get(`call_${index}`)).toBe(bySize(one) ? "result-too-large" : "unserialisable-result");
      return;
    }
    expect(call?.status).toBe("completed");
    // As it was posted: the engine keeps media apart.
    const posted = call?.settlements[0]?.body as { result: { content: unknown[] } };
    if (one.media) expect(posted.result.content.slice(1)).toEqual(one.media);
    const reads = one.reads ?? one.json ?? "";
    if (typeof reads === "string") expect(call?.rendered).toBe(reads);
    else expect(call?.rendered).toMatch(reads);
  });
});
