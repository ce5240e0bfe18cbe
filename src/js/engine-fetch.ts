/**
 * A `fetch` that ends in a bundled engine: same promises, same streams, same aborts as over a network.
 */
import type { EngineHost, Sink } from "./engine-host.js";

/** Makes it. Requests to other origins fail as if nobody were there. */
export function engineFetch(host: EngineHost, origin: string): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    if (url.origin !== origin || host.closed) throw new TypeError("Failed to fetch");
    const body = new Uint8Array(await request.arrayBuffer());
    // What a browser sends by itself across origins; the engine answers it as it would there.
    const headers: [string, string][] = [...request.headers, ["origin", "https://page.test"]];
    return new Promise<Response>((resolve, reject) => {
      const { signal } = request;
      if (signal.aborted) return reject(signal.reason);
      const sink = new ResponseSink(resolve, reject);
      const gone = host.open({ method: request.method, target: url.pathname + url.search, headers, body }, sink);
      sink.onCancel = gone;
      signal.addEventListener(
        "abort",
        () => {
          gone();
          sink.abort(signal.reason);
        },
        { once: true },
      );
    });
  };
}

class ResponseSink implements Sink {
  onCancel: () => void = () => undefined;
  readonly #resolve: (response: Response) => void;
  readonly #reject: (reason: unknown) => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #over = false;

  constructor(resolve: (response: Response) => void, reject: (reason: unknown) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  head(status: number, headers: [string, string][]): void {
    if (this.#over) return;
    const bodiless = status === 204 || status === 304;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.#over = true;
        this.onCancel();
      },
    });
    this.#resolve(new Response(bodiless ? null : body, { status, headers }));
  }

  write(bytes: Uint8Array<ArrayBuffer>): void {
    if (!this.#over && bytes.length > 0) this.#controller?.enqueue(bytes);
  }

  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#controller?.close();
  }

  lose(): void {
    this.abort(new TypeError("Failed to fetch"));
  }

  abort(reason: unknown): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#controller) this.#controller.error(reason);
    else this.#reject(reason);
  }
}
