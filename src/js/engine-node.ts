/**
 * A bundled engine behind a real HTTP server of Node. Nothing of Node is named where a browser's bundler
 * would look for it, and the few parts that are used are typed here.
 */
import type { EngineHost } from "./engine-host.js";

/** What is used of Node's `IncomingMessage`. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly rawHeaders: readonly string[];
}

/** What is used of Node's `ServerResponse`. */
export interface NodeResponse {
  readonly destroyed: boolean;
  writeHead(status: number, headers: readonly string[]): unknown;
  write(chunk: Uint8Array): unknown;
  end(): unknown;
  destroy(): unknown;
  flushHeaders(): unknown;
  on(event: "close", listener: () => void): unknown;
}

/** A server that listens. */
export interface Listening {
  /** Its address, without a slash at its end. */
  readonly url: string;
  close(): Promise<void>;
}

interface NodeServer {
  listen(port: number, host: string, listening: () => void): void;
  on(event: "error", listener: (error: Error) => void): void;
  address(): { port: number } | string | null;
  close(closed: () => void): void;
  closeAllConnections(): void;
}

/** Answers one request of a Node server. */
export async function answerNode(host: EngineHost, request: NodeRequest, response: NodeResponse): Promise<void> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of request) pieces.push(piece);
  } catch {
    // The client went away before its request was whole.
    return;
  }
  const body = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    body.set(piece, at);
    at += piece.length;
  }
  const headers: [string, string][] = [];
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2) {
    headers.push([request.rawHeaders[index] ?? "", request.rawHeaders[index + 1] ?? ""]);
  }
  const gone = host.open(
    { method: request.method ?? "GET", target: request.url ?? "/", headers, body },
    {
      head: (status, fields) => {
        response.writeHead(status, fields.flat());
        response.flushHeaders();
      },
      write: (bytes) => bytes.length > 0 && response.write(bytes),
      end: () => response.end(),
      lose: () => response.destroy(),
    },
  );
  response.on("close", gone);
  if (response.destroyed) gone();
}

/** Listens on loopback, or where it is told. Port 0 is any free one. */
export async function listenNode(host: EngineHost, port: number, hostname: string): Promise<Listening> {
  const http = "node:http";
  const { createServer } = (await import(/* webpackIgnore: true */ /* @vite-ignore */ http)) as {
    createServer(answer: (request: NodeRequest, response: NodeResponse) => void): NodeServer;
  };
  const server = createServer((request, response) => void answerNode(host, request, response));
  await new Promise<void>((resolve, reject) => {
    server.on("error", reject);
    server.listen(port, hostname, resolve);
  });
  const bound = server.address();
  const actual = typeof bound === "object" && bound !== null ? bound.port : port;
  return {
    url: `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${actual}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
