/**
 * The entry `pagehand/worker`: what a server needs that decides for an engine whose tools run in pages.
 * Plain functions over the engine's worker protocol; no DOM, no WASM, no state. Importing it does nothing.
 *
 * ```js
 * const decide = endSilentTurns(
 *   ({ trigger, proposed }) =>
 *     trigger.type === "session.start" ? { agent: { ...proposed.agent, tools: declare(tools) } } : proposed,
 *   { silent: tools },
 * );
 * export default { fetch: serveDecisions(decide, { secret }) };
 * ```
 */
export { PagehandError } from "./errors.js";
export { type Declarable, declare } from "./worker-declare.js";
export { type ServeOptions, serveDecisions } from "./worker-serve.js";
export { SIGNATURE_HEADER, type SignedBody, signBody, verifySignature } from "./worker-signature.js";
export { type Silent, acceptProposals, endSilentTurns } from "./worker-silent.js";
export type * from "./worker-types.js";
