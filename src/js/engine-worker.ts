/**
 * The way from a bundled engine to its external worker: a function of this process, or an address.
 * Requests and answers stay JSON text, so that no number loses a digit and the bytes that are signed are those sent.
 */
import { PagehandError } from "./errors.js";
import { SIGNATURE_HEADER, signBody } from "./worker-signature.js";
import type { Decide, DecisionRequest } from "./worker-types.js";

/** Where a worker listens. */
export interface WorkerAddress {
  url: string | URL;
  /** Signs every request. */
  secret?: string | undefined;
  /** Sends the requests. @defaultValue the global `fetch` */
  fetch?: typeof fetch | undefined;
}

/** Puts a request to a worker: JSON text in, JSON text out. Rejects if the worker fails. */
export type Seat = (request: string, signal: AbortSignal) => Promise<string>;

/** Makes the way. Throws `invalid-options` over an address that is none. */
export function seatOf(worker: Decide | WorkerAddress): Seat {
  return typeof worker === "function" ? inProcess(worker) : overHttp(worker);
}

function inProcess(decide: Decide): Seat {
  return async (request) => {
    const answer = JSON.stringify(await decide(JSON.parse(request) as DecisionRequest)) as string | undefined;
    if (answer === undefined) throw new Error("it gave no answer; return {} to do nothing");
    return answer;
  };
}

function overHttp({ url, secret, fetch: send = fetch }: WorkerAddress): Seat {
  if (!URL.canParse(url)) throw new PagehandError("invalid-options", "worker.url must be an absolute address");
  if (secret === "") throw new PagehandError("invalid-options", "worker.secret must not be empty");
  return async (request, signal) => {
    const headers = new Headers({ "content-type": "application/json", accept: "application/json" });
    if (secret !== undefined) headers.set(SIGNATURE_HEADER, await signBody(request, secret));
    const response = await send(url, { method: "POST", headers, body: request, signal });
    if (!response.ok) throw new Error(`it answered HTTP ${response.status}`);
    return response.text();
  };
}
