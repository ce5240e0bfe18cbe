/**
 * A worker as a web handler: a `Request` in, a `Response` out, for servers that speak these.
 */
import { SIGNATURE_HEADER, checkSecret, verifySignature } from "./worker-signature.js";
import type { Decide, DecisionRequest } from "./worker-types.js";

/** How a worker is served. */
export interface ServeOptions {
  /** The secret shared with the engine. Without one nothing is verified: then something in front of it must do that. */
  readonly secret?: string | Uint8Array | undefined;
  /** Hears what `decide` threw. The engine is told only that it failed, and asks again. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Makes the handler, which never rejects. Throws `invalid-options` over a secret that is none, an empty one for example. */
export function serveDecisions(decide: Decide, options: ServeOptions = {}): (request: Request) => Promise<Response> {
  const { secret, onError } = options;
  if (secret !== undefined) checkSecret(secret);
  const refuse = (status: number, error: string) => Response.json({ error }, { status });
  return async (request) => {
    if (request.method !== "POST") return refuse(405, "decisions are asked for by POST");
    let body: ArrayBuffer;
    try {
      body = await request.arrayBuffer();
    } catch {
      return refuse(400, "the body could not be read");
    }
    if (secret !== undefined && !(await verifySignature(body, request.headers.get(SIGNATURE_HEADER), secret))) {
      return refuse(401, "the signature does not fit");
    }
    let asked: unknown;
    try {
      asked = JSON.parse(new TextDecoder().decode(body));
    } catch {
      return refuse(400, "the body is not JSON");
    }
    if (typeof asked !== "object" || asked === null || !("trigger" in asked)) return refuse(400, "the body is no decision request");
    try {
      return Response.json(await decide(asked as DecisionRequest));
    } catch (error) {
      try {
        onError?.(error);
      } catch {
        // Whoever listens has no say in what the engine is told.
      }
      return refuse(500, "the worker failed");
    }
  };
}
