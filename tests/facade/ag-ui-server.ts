/**
 * A server in a test that talks AG-UI: a `fetch` that keeps what it was asked and streams what a function says; and a
 * runtime over it. Holds no assertion.
 */
import { onTestFinished } from "vitest";
import { type AgUiTransport, type CommonOptions, type Runtime, type RuntimeEvent, createRuntime, tool } from "pagehand";
import { BRISK } from "./page.ts";

/** Where it is. */
export const RUN = "https://ag-ui.test/agents/shop/run";

/** The tool that its runtimes have, unless they have others. */
const cart = tool({ name: "read_cart", execute: () => ({ items: 3 }) });

/** Opens a runtime. */
export async function over(server: AgUiServer, options: Partial<CommonOptions & AgUiTransport> = {}): Promise<Runtime> {
  const runtime = await createRuntime({ engine: RUN, fetch: server.fetch, tools: [cart], storage: "memory", ...options, transport: "ag-ui", tuning: { ...BRISK, ...options.tuning } });
  onTestFinished(() => runtime.close());
  return runtime;
}

/** Every event of some kinds, in order. */
export function listen(runtime: Runtime, ...kinds: RuntimeEvent["type"][]): RuntimeEvent[] {
  const seen: RuntimeEvent[] = [];
  for (const kind of kinds) runtime.on(kind, (event) => seen.push(event));
  return seen;
}

/** The body of a request for a run. */
export interface RunInput {
  threadId: string;
  runId: string;
  messages: { id: string; role: string; content?: unknown; toolCallId?: string; toolCalls?: unknown[] }[];
  tools: { name: string; parameters?: unknown }[];
  context: unknown;
  state: unknown;
  forwardedProps: unknown;
  resume?: { interruptId: string; status: string; payload?: unknown }[];
}

/** An event as it goes out, and the ones that a test may want in between. */
export type Sent = { type: string; [field: string]: unknown } | "hang" | Promise<unknown>;

/** What a test holds. */
export interface AgUiServer {
  fetch: (request: Request) => Promise<Response>;
  /** What was asked of the run endpoint, in order. */
  runs: RunInput[];
  /** The texts of those bodies, to the last digit. */
  texts: string[];
  /** The signals of those requests. */
  signals: AbortSignal[];
  /** The addresses of all requests. */
  urls: string[];
}

/** Starts one. `reply` says what a run streams, `connect` what a question for the conversation does. */
export function agUiServer(reply: (input: RunInput, index: number, signal: AbortSignal) => readonly Sent[] | Response, connect?: (input: RunInput) => readonly Sent[]): AgUiServer {
  const server: AgUiServer = {
    runs: [],
    texts: [],
    signals: [],
    urls: [],
    fetch: async (request) => {
      server.urls.push(request.url);
      const text = await request.text();
      const input = JSON.parse(text) as RunInput;
      const { pathname } = new URL(request.url);
      if (connect && pathname.endsWith("/connect")) return stream(connect(input), request.signal);
      if (!pathname.endsWith("/run")) return new Response("there is nothing here", { status: 404 });
      const index = server.runs.push(input) - 1;
      server.texts.push(text);
      server.signals.push(request.signal);
      const said = reply(input, index, request.signal);
      return said instanceof Response ? said : stream(said, request.signal);
    },
  };
  return server;
}

/** A stream of events, which breaks off as over a network when its request is given up. */
function stream(events: readonly Sent[], signal: AbortSignal): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: async (controller) => {
      signal.addEventListener("abort", () => controller.error(signal.reason), { once: true });
      try {
        for (const event of events) {
          if (event === "hang") return;
          if (event instanceof Promise) await event;
          else controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
        }
        controller.close();
      } catch {
        // It was given up meanwhile.
      }
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** A run from its start to its end, with something in between. */
export function run({ threadId, runId }: RunInput, ...events: Sent[]): Sent[] {
  return [{ type: "RUN_STARTED", threadId, runId }, ...events, { type: "RUN_FINISHED", threadId, runId }];
}

/** A message of the assistant. */
export function says(text: string, messageId: string = `m-${Math.random()}`): Sent[] {
  return [
    { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", messageId, delta: text },
    { type: "TEXT_MESSAGE_END", messageId },
  ];
}

/** A call of a tool; those that follow each other are of one reply. */
export function calls(toolCallId: string, toolCallName: string, args: unknown = {}): Sent[] {
  return [
    { type: "TOOL_CALL_START", toolCallId, toolCallName },
    { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(args) },
    { type: "TOOL_CALL_END", toolCallId },
  ];
}
