/**
 * The signature of a decision request: `sha256=` and the hex HMAC-SHA256 of the body's bytes under a shared secret.
 * By WebCrypto, which Node, workers and edge runtimes all have.
 */
import { PagehandError } from "./errors.js";

/** The header that carries it. */
export const SIGNATURE_HEADER = "x-substructure-signature";

/** The bytes of a body, or its text. */
export type SignedBody = string | Uint8Array | ArrayBuffer;

/**
 * Whether a request came from who knows the secret. Give it the body as it was received: parsed and written anew it
 * may differ. False for a header that is missing, given twice or malformed. Takes as long for a near miss as for a far
 * one. Rejects with `invalid-options` over an empty secret, which would let anybody in.
 */
export async function verifySignature(
  body: SignedBody,
  header: string | readonly string[] | null | undefined,
  secret: string | Uint8Array,
): Promise<boolean> {
  const key = await keyOf(secret, "verify");
  const only = typeof header === "string" ? header : header?.length === 1 ? header[0] : undefined;
  const hex = /^sha256=([0-9a-f]{64})$/i.exec(only?.trim() ?? "")?.[1];
  if (hex === undefined) return false;
  const signature = Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  return crypto.subtle.verify("HMAC", key, signature, bytesOf(body));
}

/** Signs a body as an engine does: for tests and for engines of one's own. */
export async function signBody(body: SignedBody, secret: string | Uint8Array): Promise<string> {
  const signature = await crypto.subtle.sign("HMAC", await keyOf(secret, "sign"), bytesOf(body));
  return `sha256=${Array.from(new Uint8Array(signature), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Throws `invalid-options` over a secret that anybody would know, or that cannot be one. @internal */
export function checkSecret(secret: unknown): void {
  const fits = typeof secret === "string" || secret instanceof Uint8Array;
  if (!fits || secret.length === 0) throw new PagehandError("invalid-options", "secret must be a text or bytes, and not empty");
}

function keyOf(secret: string | Uint8Array, use: "sign" | "verify"): Promise<CryptoKey> {
  checkSecret(secret);
  return crypto.subtle.importKey("raw", bytesOf(secret), { name: "HMAC", hash: "SHA-256" }, false, [use]);
}

/** A copy, in memory of its own kind: WebCrypto takes no shared memory. */
function bytesOf(data: SignedBody): Uint8Array<ArrayBuffer> {
  return typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data);
}
