/**
 * The entry `pagehand/testing`: the bundled engine for tests, demos and servers of one's own, and the
 * runtime's event-stream parser for people who test their servers. Importing it does nothing.
 */
import { engineFetch } from "./engine-fetch.js";
import { EngineHost } from "./engine-host.js";
import { type Listening, type NodeRequest, type NodeResponse, answerNode, listenNode } from "./engine-node.js";
import type {
  EngineCall,
  EngineChild,
  EngineEvent,
  EngineFault,
  EngineOperator,
  EngineSettings,
  ModelReply,
  ModelRequest,
  ShowDelta,
} from "./engine-types.js";
import { type WorkerAddress, seatOf } from "./engine-worker.js";
import { PagehandError, messageOf } from "./errors.js";
import { type MaybePromise, WasmFile, type WasmSource } from "./load.js";
import type * as EngineGlue from "./wasm/engine.js";
import type { Decide } from "./worker-types.js";

export type * from "./engine-types.js";
export type { Listening, NodeRequest, NodeResponse } from "./engine-node.js";
export type { WorkerAddress } from "./engine-worker.js";
export { PagehandError } from "./errors.js";
export type { MaybePromise, WasmSource } from "./load.js";
export type { Decide, DecisionRequest, DecisionResponse } from "./worker-types.js";

const engineFile = new WasmFile<typeof EngineGlue>(
  "engine",
  () => new URL("./wasm/engine_bg.wasm", import.meta.url),
  () => import("./wasm/engine.js"),
);

/** Settings of a test engine: the engine's own, and how it is hosted. */
export interface TestEngineOptions extends EngineSettings {
  /** The address its `fetch` answers to. @defaultValue `"https://engine.test"` */
  url?: string | undefined;
  /** Answers the model requests instead of the script; what it shows is streamed before the reply is whole. */
  model?: ((request: ModelRequest, show: ShowDelta) => Promise<ModelReply> | ModelReply) | undefined;
  /**
   * Decides instead of the engine's own worker, which takes every proposal: a function, or the address of a server
   * that gets the requests by POST. A worker that fails or gives an answer that cannot be read is asked once more, then
   * the turn ends as `worker_unreachable`.
   */
  worker?: Decide | WorkerAddress | undefined;
  /** `"manual"`: time passes by `advance` alone. @defaultValue `"real"` */
  clock?: "real" | "manual" | undefined;
}

/** A bundled engine in this process. */
export interface TestEngine {
  /** Its address, for `createRuntime({ engine })`. */
  readonly url: string;
  /** Reaches it without a network, for `createRuntime({ fetch })`. */
  readonly fetch: typeof fetch;
  /** Mints a client token, as a backend would. */
  token(user?: string, ttlSeconds?: number): Promise<string>;
  /** The calls of a session, with everything that tried to settle them. */
  calls(session: string): EngineCall[];
  /** The sub-agents that a session has called. */
  children(session: string): EngineChild[];
  /** The event log of a session. */
  log(session: string): EngineEvent[];
  /** The conversation of a session, as on the wire. */
  messages(session: string): unknown[];
  sessions(): string[];
  /** Arms a fault. */
  fault(fault: EngineFault): void;
  /** Does what an operator may do. */
  operate(operator: EngineOperator): void;
  /** The engine's clock. */
  now(): number;
  /** Moves a manual clock. */
  advance(span: number): Promise<void>;
  /** Answers a request of a Node server of yours. */
  handle(request: NodeRequest, response: NodeResponse): Promise<void>;
  /** Starts an HTTP server in Node. Port 0, the default, is any free one. */
  listen(options?: { port?: number | undefined; host?: string | undefined }): Promise<Listening>;
  close(): Promise<void>;
}

/** Loads the engine's WASM file ahead of its first use, or from an address of your own. */
export async function init(source?: MaybePromise<WasmSource>): Promise<void> {
  await engineFile.load(source);
}

/** Starts an engine. Rejects with `invalid-options` over a setting it does not know. */
export async function createTestEngine(options: TestEngineOptions = {}): Promise<TestEngine> {
  const { url = "https://engine.test", model, worker, clock = "real", ...settings } = options;
  const seat = worker && seatOf(worker);
  const { RawEngine } = await engineFile.load();
  const config = { ...settings, model: model ? "external" : "script", worker: seat ? "external" : "builtIn" };
  let raw: InstanceType<typeof RawEngine>;
  try {
    raw = new RawEngine(JSON.stringify(config));
  } catch (error) {
    throw new PagehandError("invalid-options", messageOf(error), { cause: error });
  }
  const host = new EngineHost(raw, { manual: clock === "manual" ? Date.now() : undefined, model, worker: seat });
  const origin = new URL(url).origin;
  const send = engineFetch(host, origin);
  type Seen = { calls: EngineCall[]; children: EngineChild[]; events: EngineEvent[]; messages: unknown[] };
  const seen = (session: string) => host.inspect(session) as Seen;
  const servers: Listening[] = [];
  return {
    url: origin,
    fetch: send,
    token: async (user = "tester", ttlSeconds = 3_600) => {
      const response = await send(`${origin}/api/machine/client-tokens`, {
        method: "POST",
        headers: { authorization: `Bearer ${options.apiKey ?? "test-api-key"}`, "content-type": "application/json" },
        body: JSON.stringify({ identity: { id: user }, ttl_seconds: ttlSeconds }),
      });
      return ((await response.json()) as { token: string }).token;
    },
    calls: (session) => seen(session).calls,
    children: (session) => seen(session).children,
    log: (session) => seen(session).events,
    messages: (session) => seen(session).messages,
    sessions: () => host.sessions(),
    fault: (fault) => host.fault(fault),
    operate: (operator) => host.operate(operator),
    now: () => host.now(),
    advance: (span) => host.advance(span),
    handle: (request, response) => answerNode(host, request, response),
    listen: async ({ port = 0, host: hostname = "127.0.0.1" } = {}) => {
      const server = await listenNode(host, port, hostname);
      servers.push(server);
      return server;
    },
    close: async () => {
      host.close();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

/** An event of a stream. */
export interface StreamEvent {
  event: string;
  data: string;
  id: string;
}

/** Reads an event stream with the runtime's own parser, however its bytes were cut into chunks. */
export async function parseEventStream(
  chunks: readonly Uint8Array[],
): Promise<{ events: StreamEvent[]; lastEventId: string; retry: number | null }> {
  const glue = await engineFile.load();
  return JSON.parse(glue.parseEventStream([...chunks])) as Awaited<ReturnType<typeof parseEventStream>>;
}
