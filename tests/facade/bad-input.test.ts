/** What comes from outside may be anything: it is told, dealt with, and never breaks the page. */
import { describe, expect, it, vi } from "vitest";
import { type ConnectionEvent, type RuntimeEvent, tool } from "pagehand";
import { oneCall, open } from "./page.ts";

const connections = (seen: RuntimeEvent[]) => seen.filter((event): event is ConnectionEvent => event.type === "connection");

describe("arguments", () => {
  it.each<[string, string]>([
    ["cut", '{"path":"a","limit":100'],
    ["doubled", '{"a":1}{"a":1}'],
    ["followed by words", '{"a":1} and so on'],
    ["an array", "[1,2]"],
    ["a string", '"{}"'],
    ["a number", "7"],
    ["nested deeper than the cap", `{"a":${"[".repeat(200)}${"]".repeat(200)}}`],
    ["larger than the cap", `{"a":"${"x".repeat(3_000)}"}`],
  ])("%s are malformed and never run, not even with onInvalid: run", async (_name, args) => {
    const ran = vi.fn();
    const { engine, runtime } = await open(oneCall("t", args), {
      tools: [tool({ name: "t", onInvalid: "run", execute: ran })],
      tuning: { maxArgumentBytes: 2_000 },
    });
    const { status, report } = await runtime.send("go").finished;
    expect(status).toBe("completed");
    expect(ran).not.toHaveBeenCalled();
    expect(report.children).toMatchObject([{ status: "failed", error: { code: "malformed-arguments" }, checks: { input: "malformed" } }]);
    expect(engine.calls(runtime.sessionId)[0]).toMatchObject({ status: "errored", rendered: expect.stringMatching(/^invalid tool arguments: /) });
  });

  it.each(["", "   ", "null", "{}"])("that are %j count as an empty object, which is checked", async (args) => {
    const ran = vi.fn(() => "ran");
    const { engine, runtime } = await open(
      { script: { replies: [{ call: [{ name: "any", arguments: args }, { name: "strict", arguments: args }] }], otherwise: { say: "ok" } } },
      {
        tools: [
          tool({ name: "any", execute: ran }),
          tool({ name: "strict", input: { type: "object", required: ["a"] }, execute: ran }),
        ],
      },
    );
    await runtime.send("go").finished;
    expect(ran).toHaveBeenCalledOnce();
    expect(ran).toHaveBeenCalledWith({}, expect.anything());
    expect(engine.calls(runtime.sessionId).map((call) => call.status)).toEqual(["completed", "errored"]);
  });

  it("are checked without a validator by nobody: a schema that does not compile warns and lets through", async () => {
    const { engine, runtime, seen } = await open(oneCall("t", { a: 1 }), {
      tools: [tool({ name: "t", input: { type: "object", properties: { a: { type: "strnig" } } }, execute: () => "ran" })],
    });
    await runtime.send("go").finished;
    await expect.poll(() => seen.filter((event) => event.type === "warning")).toMatchObject([{ code: "invalid-schema", message: expect.stringContaining('tool "t"') }]);
    expect(engine.calls(runtime.sessionId)[0]?.rendered).toBe("ran");
  });
});

describe("frames", () => {
  it("of broken JSON are skipped, counted and told once each, and the stream goes on", async () => {
    const { engine, runtime, seen } = await open({ ...oneCall("t"), faults: [{ kind: "garbleFrame", event: "llm.token.delta", times: 2 }], agent: { stream: true } }, {
      tools: [tool({ name: "t", execute: () => 1 })],
    });
    expect(await runtime.send("go").finished).toMatchObject({ status: "completed", text: "Done." });
    const warnings = seen.filter((event) => event.type === "warning");
    expect(warnings.length).toBeGreaterThan(0);
    expect(warnings[0]).toMatchObject({ code: "frame-invalid", count: 1 });
    expect(engine.calls(runtime.sessionId)[0]?.status).toBe("completed");
  });
});

describe("unknown tools", () => {
  it("are answered with near names", async () => {
    const { engine, runtime } = await open(
      { ...oneCall("read_carts"), agent: { tools: [{ name: "read_carts", handler: "client" }] } },
      { tools: [tool({ name: "read_cart", execute: () => 1 })] },
    );
    const { report } = await runtime.send("go").finished;
    expect(report.children).toMatchObject([{ error: { code: "unknown-tool" } }]);
    expect(engine.calls(runtime.sessionId)[0]?.rendered).toMatch(/read_carts.*read_cart/s);
  });
});

describe("the engine", () => {
  it("that cannot be reached is tried again, and told with a hint", async () => {
    let down = true;
    const page = await open(oneCall("t"), {
      tools: [tool({ name: "t", execute: () => 1 })],
      fetch: (request) => (down ? Promise.reject(new TypeError("Failed to fetch")) : page.engine.fetch(request)),
    });
    const turn = page.runtime.send("go");
    await expect.poll(() => connections(page.seen).some((event) => event.state === "waiting")).toBe(true);
    expect(connections(page.seen).find((event) => event.state === "waiting")).toMatchObject({
      code: "stream-network",
      hint: expect.stringMatching(/CORS/),
      retryIn: expect.any(Number),
    });
    down = false;
    expect(await turn.finished).toMatchObject({ status: "completed" });
  });

  it.each<[string, () => unknown, Partial<ConnectionEvent>]>([
    ["answers with a page", () => new Response("<html>", { headers: { "content-type": "text/html" } }), { code: "stream-content-type" }],
    ["refuses the user", () => new Response('{"error":"session access denied"}', { status: 403 }), { code: "stream-refused", status: 403, state: "stopped" }],
    ["has headers that throw", () => ({ status: 200, headers: { get: () => { throw new Error("h"); } }, body: null }), { code: "stream-content-type" }],
    ["is overloaded", () => new Response("", { status: 503, headers: { "retry-after": "0" } }), { code: "stream-refused", status: 503, state: "waiting" }],
  ])("that %s is told with what to look at", async (_name, answer, event) => {
    const { runtime, seen } = await open({}, { fetch: async () => answer() as Response });
    runtime.attach();
    await expect.poll(() => connections(seen).find((one) => one.code === event.code)).toMatchObject({ ...event, hint: expect.any(String) });
  });

  it("that refuses the token gets a fresh one, once", async () => {
    const asked: boolean[] = [];
    const page = await open(oneCall("t"), {
      tools: [tool({ name: "t", execute: () => 1 })],
      token: async ({ refresh }) => {
        asked.push(refresh);
        return refresh || asked.filter(Boolean).length > 0 ? page.engine.token() : "expired";
      },
    });
    expect(await page.runtime.send("go").finished).toMatchObject({ status: "completed" });
    expect(asked[0]).toBe(false);
    expect(asked).toContain(true);
  });

  it("that refuses every token stops the stream, and says so", async () => {
    const { runtime, seen } = await open({}, { token: () => "wrong" });
    runtime.attach();
    await expect.poll(() => connections(seen).at(-1)).toMatchObject({ state: "stopped", status: 401, hint: expect.stringMatching(/token/i) });
  });
});

describe("fetch", () => {
  const response = (fields: object) => Promise.resolve(fields as Response);
  const stream = (value: unknown) => ({ getReader: () => ({ read: async () => ({ done: false, value }), cancel: async () => undefined }) });
  const headers = { get: (name: string) => (name === "content-type" ? "text/event-stream" : null) };
  it.each<[string, () => Promise<Response>]>([
    ["throws", () => { throw new Error("sync"); }],
    ["rejects with a string", () => Promise.reject("offline")],
    ["rejects with nothing", () => Promise.reject(undefined)],
    ["rejects with an object whose getters throw", () => Promise.reject({ get message(): string { throw new Error("no"); } })],
    ["gives nothing", () => response(undefined as unknown as object)],
    ["gives a number", () => Promise.resolve(7 as unknown as Response)],
    ["gives something without a status", () => response({})],
    ["gives a status that is none", () => response({ status: "ok" })],
    ["gives a body without a reader", () => response({ status: 200, headers, body: {} })],
    ["gives a body of strings", () => response({ status: 200, headers, body: stream("data: x\n\n") })],
    ["gives a body that breaks", () => response({ status: 200, headers, body: { getReader: () => ({ read: () => Promise.reject("cut") }) } })],
  ])("that %s counts as a broken stream", async (_name, fetch) => {
    const { runtime, seen } = await open({}, { fetch });
    runtime.attach();
    await expect.poll(() => connections(seen).filter((event) => event.state === "waiting").length).toBeGreaterThan(1);
    expect(seen.filter((event) => event.type === "fatal")).toEqual([]);
  });
});

describe("token callbacks", () => {
  it.each<[string, () => unknown]>([
    ["throws its secret", () => { throw new Error("s3cr3t"); }],
    ["rejects with its secret", () => Promise.reject("s3cr3t")],
    ["gives a header of its own", () => "s3cr3t\r\nx-evil: 1"],
    ["gives a number", () => 7],
  ])("that %s break the request and tell no secret", async (_name, token) => {
    const sent: Request[] = [];
    const { runtime, seen } = await open({}, {
      token: token as () => string,
      fetch: async (request) => {
        sent.push(request);
        return new Response(null, { status: 500 });
      },
    });
    runtime.attach();
    await expect.poll(() => connections(seen).some((event) => event.state === "waiting")).toBe(true);
    expect(sent).toEqual([]);
    expect(JSON.stringify(seen)).not.toContain("s3cr3t");
  });

  it("may give no token at all", async () => {
    const sent: (string | null)[] = [];
    const { runtime } = await open({}, {
      token: () => undefined,
      fetch: async (request) => {
        sent.push(request.headers.get("authorization"));
        return new Response(null, { status: 403 });
      },
    });
    runtime.attach();
    await expect.poll(() => sent).toEqual([null]);
  });
});

it("sends requests that carry the token to the engine and nowhere else", async () => {
  const sent: Request[] = [];
  const page = await open(oneCall("t"), {
    session: "a/b?c#d ü",
    tools: [tool({ name: "t", execute: () => 1 })],
    fetch: (request) => {
      sent.push(request.clone());
      return page.engine.fetch(request);
    },
  });
  await page.runtime.send("go").finished;
  const stream = sent.find((request) => request.method === "GET");
  expect(stream?.url).toBe(`${page.engine.url}/api/client/sessions/a%2Fb%3Fc%23d%20%C3%BC/events/stream?after_seq=0`);
  expect(stream?.headers.get("accept")).toBe("text/event-stream");
  for (const request of sent) {
    expect(new URL(request.url).origin).toBe(page.engine.url);
    expect(request).toMatchObject({ redirect: "error", credentials: "omit", cache: "no-store" });
    expect(request.headers.get("authorization")).toMatch(/^Bearer \S+$/);
  }
  const post = sent.find((request) => request.method === "POST");
  expect(post?.headers.get("content-type")).toBe("application/json");
});
