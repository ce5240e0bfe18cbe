/** The worker's side: decisions by a function and over HTTP, silent replies, declarations, signatures. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createHmac } from "node:crypto";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type StandardSchema, createRuntime, tool } from "pagehand";
import { type TestEngineOptions, createTestEngine } from "pagehand/testing";
import {
  type Decide,
  type DecisionRequest,
  type DecisionResponse,
  SIGNATURE_HEADER,
  acceptProposals,
  declare,
  endSilentTurns,
  serveDecisions,
  signBody,
  verifySignature,
} from "pagehand/worker";
import { open } from "./page.ts";

const track = tool({ name: "track", mode: "silent", output: { type: "object" }, execute: () => ({ noted: true }) });
const note = tool({ name: "note", mode: "silent", execute: () => "noted" });
const read = tool({ name: "read", execute: () => ({ items: 3 }) });

const calling = (...names: string[]): TestEngineOptions => ({
  script: {
    replies: [{ call: names.map((name, index) => ({ name, id: `call_${index}` })) }],
    otherwise: { say: "Done." },
  },
});

describe("a test engine's worker", () => {
  it("decides in process, sees every trigger, and keeps state", async () => {
    const seen: string[] = [];
    const decide: Decide = ({ trigger, proposed, state, agent }) => {
      seen.push(trigger.type);
      if (trigger.type === "tool.execute") return { actions: [{ type: "tool.result", result: { rate: agent?.model } }] };
      return { ...proposed, state: { asked: ((state as { asked: number } | null)?.asked ?? 0) + 1 } };
    };
    const { engine, runtime } = await open(
      { ...calling("read", "rate"), agent: { tools: [{ name: "rate" }] }, worker: decide },
      { tools: [read] },
    );
    expect(await runtime.send("go").finished).toMatchObject({ status: "completed", text: "Done." });
    expect(engine.calls(runtime.sessionId).map(({ name, rendered }) => [name, rendered])).toEqual([
      ["read", '{"items":3}'],
      ["rate", '{"rate":"bundled"}'],
    ]);
    expect(seen.slice(0, 3)).toEqual(["session.start", "client.messages", "llm.finished"]);
    expect(new Set(seen.slice(3))).toEqual(new Set(["tool.execute", "tool.finished", "llm.finished", "turn.finished"]));
  });

  it("hands a model of one's own what the worker says of it", async () => {
    const model = vi.fn(() => ({ text: "ok" }));
    const { runtime } = await open({
      model,
      worker: ({ trigger, proposed }) => (trigger.type === "session.start" ? { agent: { model: "m-1", system: "Be brief." } } : proposed),
    });
    await runtime.send("go").finished;
    expect(model).toHaveBeenCalledWith(expect.objectContaining({ model: "m-1", system: "Be brief.", agent: "shop" }), expect.anything());
  });

  it.each<[string, Decide, string]>([
    ["throws", () => Promise.reject(new Error("no database")), "no database"],
    ["answers nothing", () => undefined as never, "no answer"],
    ["wants what nobody knows", () => ({ actions: [{ type: "fly" } as never] }), 'unknown action type "fly"'],
  ])("that %s costs the turn", async (_name, broken, message) => {
    const decide: Decide = (request) => (request.trigger.type === "client.messages" ? broken(request) : acceptProposals(request));
    const { engine, runtime } = await open({ worker: decide });
    expect(await runtime.send("go").finished).toMatchObject({ status: "failed" });
    const events = engine.log(runtime.sessionId).map(({ payload }) => payload);
    expect(events.filter(({ type }) => type === "decision.errored")).toHaveLength(2);
    expect(events.find(({ type }) => type === "turn.completed")).toMatchObject({
      error: { code: "worker_unreachable", message: expect.stringContaining(message) },
    });
  });

  it("refuses an address that is none, and an empty secret", async () => {
    await expect(createTestEngine({ worker: { url: "/decide" } })).rejects.toMatchObject({ code: "invalid-options" });
    await expect(createTestEngine({ worker: { url: "http://localhost", secret: "" } })).rejects.toMatchObject({ code: "invalid-options" });
  });
});

describe("endSilentTurns", () => {
  const silent = [track, note, read];
  const asked = (engine: { log(session: string): { payload: { type: string } }[] }, session: string) =>
    engine.log(session).filter(({ payload }) => payload.type === "llm.call.requested").length;

  it.each([[["track"]], [["track", "note", "track"]]])("ends a turn whose reply called %j, without asking the model again", async (names) => {
    const { engine, runtime } = await open({ ...calling(...names), worker: endSilentTurns(acceptProposals, { silent }) }, { tools: [track, note, read] });
    expect(await runtime.send("go").finished).toMatchObject({ status: "completed", text: "" });
    expect(asked(engine, runtime.sessionId)).toBe(1);
    const messages = engine.messages(runtime.sessionId) as { role: string }[];
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", ...names.map(() => "tool")]);
    expect(engine.calls(runtime.sessionId).every(({ status }) => status === "completed")).toBe(true);
    // The next turn is one like any other.
    expect(await runtime.send("more").finished).toMatchObject({ status: "completed", text: "Done." });
  });

  it.each([[["track", "read"]], [["read"]]])("lets a turn go on whose reply called %j", async (names) => {
    const { engine, runtime } = await open({ ...calling(...names), worker: endSilentTurns(acceptProposals, { silent }) }, { tools: [track, note, read] });
    expect(await runtime.send("go").finished).toMatchObject({ status: "completed", text: "Done." });
    expect(asked(engine, runtime.sessionId)).toBe(2);
  });

  const call = (id: string, name: string) => ({ id, type: "function", function: { name, arguments: "{}" } });
  const answer = (id: string) => ({ role: "tool" as const, tool_call_id: id, content: "done" });
  const request = (changes: Partial<DecisionRequest> = {}): DecisionRequest => ({
    session_id: "s1",
    decision_id: "d1",
    agent_id: "shop",
    identity: {},
    trigger: { type: "tool.finished", id: "b", ok: true, name: "note" },
    proposed: { messages: [answer("b")], actions: [{ type: "llm.call" }] },
    state: null,
    agent: null,
    calls: [],
    pending_calls: 0,
    messages: [
      { id: "1", role: "user", content: "go" },
      { id: "2", role: "assistant", tool_calls: [call("a", "track"), call("b", "note")] },
      { id: "3", ...answer("a") },
    ],
    message_tree: { nodes: [] },
    ancestry: [],
    attempts: 1,
    deadline: null,
    turn_id: "t1",
    ...changes,
  });
  const done = [{ type: "done" }];
  const decided = async (changes?: Partial<DecisionRequest>, decide: Decide = acceptProposals) =>
    endSilentTurns(decide, { silent: ["track", "note"] })(request(changes));

  it("ends when the last outcome is in, and keeps what it records", async () => {
    expect(await decided()).toEqual({ messages: [answer("b")], actions: done });
  });

  it("takes names, tools by their mode, and a function", async () => {
    for (const silent of [["track", "note"], [track, note], [track, "note"], (name: string) => name !== "read"]) {
      expect(await endSilentTurns(acceptProposals, { silent })(request())).toMatchObject({ actions: done });
    }
    const loud = endSilentTurns(acceptProposals, { silent: [track, { name: "note", mode: "feedback" }] });
    expect(await loud(request())).toEqual(request().proposed);
  });

  it.each<[string, Partial<DecisionRequest>]>([
    ["another trigger", { trigger: { type: "interrupt.resumed", interrupt_id: "i" } }],
    ["a proposal that holds", { proposed: { messages: [answer("b")] } }],
    ["a sibling whose outcome is not in", { messages: request().messages.slice(0, 2) }],
    ["a sibling in flight", { calls: [{ id: "a", kind: "tool_call", status: "retry_scheduled", attempt: 0 }] }],
    ["a call that no reply made", { trigger: { type: "tool.finished", id: "x", ok: true, name: "track" } }],
    ["no reply at all", { messages: [] }],
    ["a reply with another tool", { messages: [{ id: "2", role: "assistant", tool_calls: [call("b", "note"), call("a", "read")] }, { id: "3", ...answer("a") }] }],
  ])("leaves alone %s", async (_name, changes) => {
    expect(await decided(changes)).toEqual(request(changes).proposed);
  });

  it("does not stop at what an earlier reply called", async () => {
    const before = { id: "0", role: "assistant" as const, tool_calls: [call("r", "read")] };
    expect(await decided({ messages: [before, ...request().messages] })).toMatchObject({ actions: done });
  });

  it("changes only an answer that is the proposal, and keeps what was added to it", async () => {
    const copy: Decide = ({ proposed }) => ({ ...structuredClone(proposed), state: { n: 1 }, channels: undefined });
    expect(await decided({}, copy)).toEqual({ messages: [answer("b")], actions: done, state: { n: 1 } });
    const own: DecisionResponse[] = [
      {},
      { actions: [{ type: "interrupt", reason: "confirm" }] },
      { messages: [answer("b")], actions: [{ type: "llm.call", model: "larger" }] },
      { messages: [{ ...answer("b"), content: "in other words" }], actions: [{ type: "llm.call" }] },
      { messages: [answer("b")], actions: [{ type: "llm.call" }, { type: "tool.call", name: "x" }] },
    ];
    for (const answered of own) expect(await decided({}, () => answered)).toBe(answered);
  });

  it("leaves alone a proposal that was changed in place", async () => {
    const more: Decide = ({ proposed }) => {
      proposed.actions?.push({ type: "tool.call", name: "x" });
      return proposed;
    };
    expect(await decided({}, more)).toEqual({ messages: [answer("b")], actions: [{ type: "llm.call" }, { type: "tool.call", name: "x" }] });
    const less: Decide = ({ messages, proposed }) => {
      messages.length = 0;
      return proposed;
    };
    expect(await decided({}, less)).toMatchObject({ actions: done });
  });
});

describe("declare", () => {
  const standard = (json?: unknown): StandardSchema =>
    ({ "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }), ...(json !== undefined && { jsonSchema: { input: () => json, output: () => json } }) } }) as StandardSchema;

  it("makes tools of the client of tools, plain objects and declarations", async () => {
    const input = { type: "object", properties: { n: { type: "integer" } } };
    const declared = declare([
      tool({ name: "a", description: "A.", version: "1", input, output: true, annotations: { readOnly: true }, execute: () => 1 }),
      tool({ name: "b", input: standard(input), output: standard(), execute: () => 1 }),
      tool({ name: "c", input: standard(), inputSchema: input, execute: () => 1 }),
      tool({ name: "d", mode: "silent", output: input, execute: () => 1 }),
      { name: "e", description: "E.", output: input, defer: true },
      { name: "f", handler: "client", input } as { name: string },
    ]);
    expect(declared).toEqual([
      { name: "a", description: "A.", input, output: true, handler: "client" },
      { name: "b", input, handler: "client" },
      { name: "c", input, handler: "client" },
      { name: "d", handler: "client" },
      { name: "e", description: "E.", output: input, handler: "client", defer: true },
      { name: "f", input, handler: "client" },
    ]);
    expect(JSON.parse(JSON.stringify(declared))).toEqual(declared);
  });

  it("declares what a runtime declares, and passes its declarations on", async () => {
    const { runtime } = await open({}, { tools: [track, read, tool({ name: "s", input: standard({ type: "object" }), execute: () => 1 })] });
    const byRuntime = [...runtime.declarations()].sort((one, other) => one.name.localeCompare(other.name));
    const tools = [read, tool({ name: "s", input: standard({ type: "object" }), execute: () => 1 }), track];
    expect(declare(tools)).toEqual(byRuntime);
    expect(declare(byRuntime)).toEqual(byRuntime);
  });

  it("lets a worker give the page's tools to the engine, so that the page itself need not", async () => {
    const paint = tool({ name: "paint", input: { type: "object", required: ["colour"] }, output: { type: "string" }, execute: () => "painted" });
    const { engine, runtime } = await open(
      {
        ...calling("paint"),
        worker: ({ trigger, proposed }) =>
          trigger.type === "session.start" ? { agent: { model: "m", tools: declare([paint]) } } : { ...proposed, agent: undefined },
      },
      { tools: [paint] },
    );
    await runtime.send("go").finished;
    const [call] = engine.calls(runtime.sessionId);
    // The page ran the check of the declared schema: the model's empty arguments do not fit.
    expect(call).toMatchObject({ handler: "client", status: "errored", error: { message: expect.stringContaining("colour") } });
  });

  it("refuses what cannot be declared, by name", () => {
    expect(() => declare([{ name: "" }])).toThrow(expect.objectContaining({ code: "invalid-tool" }));
    expect(() => declare([read, read])).toThrow(expect.objectContaining({ code: "duplicate-tool", message: expect.stringContaining("read") }));
    expect(() => declare([{ name: "x", input: "string" }])).toThrow(expect.objectContaining({ code: "invalid-tool", message: expect.stringContaining('"x"') }));
    expect(() => declare([{ name: "x", output: [] }])).toThrow(expect.objectContaining({ code: "invalid-tool" }));
  });
});

it("brings no runtime, no WASM and nothing of a platform to a server", async () => {
  const entry = fileURLToPath(new URL("../../pkg/worker.js", import.meta.url));
  const { metafile } = await build({ entryPoints: [entry], bundle: true, write: false, metafile: true, format: "esm", platform: "neutral" });
  expect(Object.keys(metafile.inputs).map((file) => basename(file)).sort()).toEqual([
    "declarable.js",
    "errors.js",
    "standard-schema.js",
    "worker-declare.js",
    "worker-serve.js",
    "worker-signature.js",
    "worker-silent.js",
    "worker.js",
  ]);
});

describe("signatures", () => {
  const body = '{"name":"Zoë"}';
  const good = `sha256=${createHmac("sha256", "s3cret").update(body).digest("hex")}`;

  it("are those of the protocol", async () => {
    expect(await signBody(body, "s3cret")).toBe(good);
    for (const form of [body, new TextEncoder().encode(body), new TextEncoder().encode(body).buffer]) {
      expect(await verifySignature(form, good, "s3cret")).toBe(true);
    }
    expect(await verifySignature(body, good.toUpperCase().replace("SHA256", "sha256"), new TextEncoder().encode("s3cret"))).toBe(true);
    expect(await verifySignature(body, [good], "s3cret")).toBe(true);
  });

  it.each<[string, string, Parameters<typeof verifySignature>[1], string]>([
    ["another body", `${body} `, good, "s3cret"],
    ["another secret", body, good, "secret"],
    ["a changed digit", body, good.replace(/.$/, (digit) => (digit === "0" ? "1" : "0")), "s3cret"],
    ["a cut signature", body, good.slice(0, -2), "s3cret"],
    ["no prefix", body, good.slice(7), "s3cret"],
    ["another algorithm", body, good.replace("sha256", "sha1"), "s3cret"],
    ["no header", body, undefined, "s3cret"],
    ["null", body, null, "s3cret"],
    ["two headers", body, [good, good], "s3cret"],
    ["an empty header", body, "", "s3cret"],
  ])("do not fit %s", async (_name, text, header, secret) => {
    expect(await verifySignature(text, header, secret)).toBe(false);
  });

  it("need a secret", async () => {
    await expect(verifySignature(body, good, "")).rejects.toMatchObject({ code: "invalid-options" });
    for (const secret of ["", new Uint8Array(), null, 5, {}]) {
      expect(() => serveDecisions(acceptProposals, { secret: secret as string })).toThrow(expect.objectContaining({ code: "invalid-options" }));
      await expect(signBody(body, secret as string)).rejects.toMatchObject({ code: "invalid-options" });
    }
  });
});

describe("over HTTP", () => {
  /** A worker as a plain Node server, which verifies by hand. */
  async function listen(secret: string, seen: DecisionRequest[]): Promise<string> {
    const server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", async () => {
        const body = Buffer.concat(pieces);
        if (!(await verifySignature(body, request.headers[SIGNATURE_HEADER], secret))) return void response.writeHead(401).end();
        const asked = JSON.parse(body.toString()) as DecisionRequest;
        seen.push(asked);
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(await acceptProposals(asked)));
      });
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/decide`;
  }

  it.each<[string, BodyInit | null, number]>([
    ["null", "null", 400],
    ["a number", "5", 400],
    ["a list", "[]", 400],
    ["a JSON value that is no request", "{}", 400],
    ["no JSON", "{", 400],
    ["no body", null, 400],
    ["a body that breaks off", new ReadableStream({ start: (stream) => stream.error(new Error("gone")) }), 400],
    ["a worker that throws, and a listener that does", '{"trigger":{"type":"boom"}}', 500],
  ])("answers %s in words, and never rejects", async (_name, body, status) => {
    const boom = (): never => {
      throw new Error("boom");
    };
    const handler = serveDecisions(boom, { onError: boom });
    const init = { method: "POST", body, duplex: "half" } as RequestInit;
    const response = await handler(new Request("https://worker.example", init));
    expect([response.status, typeof ((await response.json()) as { error: string }).error]).toEqual([status, "string"]);
  });

  it.each([undefined, null, "yes", 5n])("fails rather than to answer with %s, or answers it as JSON", async (answer) => {
    const handler = serveDecisions(() => answer as never);
    const response = await handler(new Request("https://worker.example", { method: "POST", body: '{"trigger":{}}' }));
    expect(response.status).toBe(answer === undefined || typeof answer === "bigint" ? 500 : 200);
  });

  it("asks a server with a signature that it can verify", async () => {
    const seen: DecisionRequest[] = [];
    const url = await listen("s3cret", seen);
    const { runtime } = await open({ ...calling("read"), worker: { url, secret: "s3cret" } }, { tools: [read] });
    expect(await runtime.send("Zoë’s cart").finished).toMatchObject({ status: "completed", text: "Done." });
    expect(seen.map(({ trigger }) => trigger.type)).toEqual([
      "session.start",
      "client.messages",
      "llm.finished",
      "tool.finished",
      "llm.finished",
      "turn.finished",
    ]);
  });

  it.each(["wrong", undefined])("fails the turn where the secret is %s", async (secret) => {
    const seen: DecisionRequest[] = [];
    const url = await listen("s3cret", seen);
    const { engine, runtime } = await open({ worker: { url, secret } });
    expect(await runtime.send("go").finished).toMatchObject({ status: "failed" });
    expect(seen).toEqual([]);
    expect(JSON.stringify(engine.log(runtime.sessionId))).toContain("HTTP 401");
  });

  it("serves a worker as a web handler, whatever goes wrong", async () => {
    const thrown: unknown[] = [];
    const handle = serveDecisions(
      ({ trigger, proposed }) => {
        if (trigger.type === "turn.finished") throw new Error("no database");
        return proposed;
      },
      { secret: "s3cret", onError: (error) => thrown.push(error) },
    );
    const send = ((url: URL, init: RequestInit) => handle(new Request(url, init))) as typeof fetch;
    const { engine, runtime } = await open({ worker: { url: "https://worker.test/", secret: "s3cret", fetch: send } });
    expect(await runtime.send("go").finished).toMatchObject({ status: "failed" });
    expect(thrown).toEqual([new Error("no database"), new Error("no database")]);
    expect(JSON.stringify(engine.log(runtime.sessionId))).not.toContain("no database");
    const signed = async (body: string) => handle(new Request("https://worker.test/", { method: "POST", body, headers: { [SIGNATURE_HEADER]: await signBody(body, "s3cret") } }));
    expect((await signed("{")).status).toBe(400);
    expect((await handle(new Request("https://worker.test/", { method: "POST", body: "{}" }))).status).toBe(401);
    expect((await handle(new Request("https://worker.test/"))).status).toBe(405);
  });

  it("lets go of a server that hangs when the engine closes", async () => {
    let gone: (() => void) | undefined;
    const aborted = new Promise<void>((resolve) => (gone = resolve));
    const send = ((_url: URL, { signal }: RequestInit) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => {
          gone?.();
          reject(new Error("aborted"));
        });
      })) as typeof fetch;
    const engine = await createTestEngine({ worker: { url: "https://worker.test/", fetch: send } });
    const runtime = await createRuntime({ engine: engine.url, agent: "shop", token: () => engine.token(), fetch: engine.fetch });
    const turn = runtime.send("go");
    await vi.waitFor(() => expect(engine.sessions()).toHaveLength(1));
    await engine.close();
    await aborted;
    await runtime.close();
    await turn.finished;
  });
});
