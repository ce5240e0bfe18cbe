/** The bundled engine as others use it: in process, over HTTP, and the parser. */
import { describe, expect, it, onTestFinished } from "vitest";
import { createRuntime, tool } from "pagehand";
import { createTestEngine, parseEventStream } from "pagehand/testing";
import { BRISK, oneCall } from "./page.ts";

describe("createTestEngine", () => {
  it("serves a real HTTP client in Node", async () => {
    const engine = await createTestEngine({ deltaIntervalMs: 1, ...oneCall("t") });
    const server = await engine.listen();
    const runtime = await createRuntime({
      engine: server.url,
      agent: "shop",
      token: () => engine.token(),
      tools: [tool({ name: "t", execute: () => "over HTTP" })],
      tuning: BRISK,
    });
    onTestFinished(async () => {
      await runtime.close();
      await engine.close();
    });
    expect(await runtime.send("go").finished).toMatchObject({ status: "completed" });
    expect(engine.calls(runtime.sessionId)[0]?.rendered).toBe("over HTTP");
    const preflight = await fetch(`${server.url}/api/client/sessions/input`, {
      method: "OPTIONS",
      headers: { origin: "https://page.example", "access-control-request-method": "POST", "access-control-request-headers": "authorization" },
    });
    expect(preflight.headers.get("access-control-allow-origin")).toBeTruthy();
  });

  it("refuses settings it does not know, by name", async () => {
    await expect(createTestEngine({ keepAliveMS: 1 } as never)).rejects.toMatchObject({ code: "invalid-options", message: expect.stringContaining("keepAliveMS") });
  });

  it("answers model requests by a function of yours, and turns its failure into the model's", async () => {
    const engine = await createTestEngine({
      deltaIntervalMs: 1,
      model: ({ messages }) => {
        if (messages.length > 1) throw new Error("out of tokens");
        return { text: "hello" };
      },
    });
    const runtime = await createRuntime({ engine: engine.url, agent: "shop", token: () => engine.token(), fetch: engine.fetch, tuning: BRISK });
    onTestFinished(async () => {
      await runtime.close();
      await engine.close();
    });
    expect(await runtime.send("hi").finished).toMatchObject({ status: "completed", text: "hello" });
  });

  it("lets time stand still until it is moved", async () => {
    const engine = await createTestEngine({ clock: "manual", keepAliveMs: 1_000 });
    const response = await engine.fetch(`${engine.url}/api/client/sessions/s1/events/stream?after_seq=0`, {
      headers: { authorization: `Bearer ${await engine.token()}` },
    });
    const reader = response.body!.getReader();
    const first = reader.read();
    await engine.advance(2_500);
    expect(new TextDecoder().decode((await first).value)).toMatch(/^:/);
    await engine.close();
    await expect(reader.read().then(async () => reader.read())).rejects.toThrow();
  });

  it("fails like a network where nobody listens, and obeys an abort", async () => {
    const engine = await createTestEngine();
    await expect(engine.fetch("https://elsewhere.test/")).rejects.toThrow(TypeError);
    const controller = new AbortController();
    const response = await engine.fetch(`${engine.url}/api/client/sessions/s1/events/stream?after_seq=0`, {
      headers: { authorization: `Bearer ${await engine.token()}` },
      signal: controller.signal,
    });
    const reading = response.body!.getReader().read();
    controller.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
    await engine.close();
    await engine.close();
    await expect(engine.fetch(engine.url)).rejects.toThrow(TypeError);
  });
});

describe("parseEventStream", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  it("gives the same however the bytes were cut", async () => {
    const whole = bytes("\ufeffid: 7\revent: greet\r\ndata: h\u00e9\ndata: llo\n\nretry: 250\n: quiet\n\ndata: x\n\ndata: cut");
    const expected = {
      events: [
        { event: "greet", data: "hé\nllo", id: "7" },
        { event: "message", data: "x", id: "7" },
      ],
      lastEventId: "7",
      retry: 250,
    };
    expect(await parseEventStream([whole])).toEqual(expected);
    for (let at = 0; at <= whole.length; at += 1) {
      expect(await parseEventStream([whole.slice(0, at), whole.slice(at)])).toEqual(expected);
    }
    expect(await parseEventStream([...whole].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
  });

  it("reads nothing from nothing", async () => {
    expect(await parseEventStream([])).toEqual({ events: [], lastEventId: "", retry: null });
  });
});
