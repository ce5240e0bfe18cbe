/**
 * A worker as a web handler: a `Request` in, a `Response` out, for servers that speak these.
 */
import { PagehandError } from "./errors.js";
import { SIGNATURE_HEADER, verifySignature } from "./worker-signature.js";
import type { Decide, DecisionRequest } from "./worker-types.js";

/** How a worker is served. */
export interface ServeOptions {
  /** The secret shared with the engine. Without one nothing is verified: then something in front of it must do that. */
  readonly secret?: string | Uint8Array | undefined;
  /** Hears what `decide` threw. The engine is told only that it failed, and asks again. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Makes the handler. Throws `invalid-options` over an empty secret. */
export function serveDecisions(decide: Decide, options: ServeOptions = {}): (request: Request) => Promise<Response> {
  const { secret, onError } = options;
  if (secret?.length === 0) throw new PagehandError("invalid-options", "secret must not be empty");
  const refuse = (status: number, error: string) => Response.json({ error }, { status });
  return async (request) => {
    if (request.method !== "POST") return refuse(405, "decisions are asked for by POST");
    const body = await request.arrayBuffer();
    if (secret !== undefined && !(await verifySignature(body, request.headers.get(SIGNATURE_HEADER), secret))) {
      return refuse(401, "the signature does not fit");
    }
    let asked: DecisionRequest;
    try {
      asked = JSON.parse(new TextDecoder().decode(body)) as DecisionRequest;
    } catch {
      return refuse(400, "the body is not JSON");
    }
    try {
      return Response.json(await decide(asked));
    } catch (error) {
      onError?.(error);
      return refuse(500, "the worker failed");
    }
  };
}
