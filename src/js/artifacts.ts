/**
 * What the calls of a turn put aside for the page becomes one bag. Bags hold whatever handlers wrote, so reading
 * one may throw: that spoils its own part and no other.
 */
import { guard } from "./emitter.js";
import { messageOf } from "./errors.js";
import type { Turn } from "./turn.js";

/** What one call, or one turn, put aside for the page. */
export type Artifacts = Record<string, unknown>;

/** Decides what the bags of a turn's calls become; they come in the order the calls ended. */
export type Finalize<Bag = Artifacts> = { of(bags: readonly Artifacts[], turn: Turn<Bag>): Bag }["of"];

/** Later writes win, key by key. @internal */
export function spread(bags: readonly Artifacts[]): Artifacts {
  // Without a prototype, a key named `__proto__` is one like any other.
  const merged = Object.create(null) as Artifacts;
  for (const bag of bags) guard(() => void Object.assign(merged, bag));
  return { ...merged };
}

/** What the author's function makes of the bags; without one, or if it fails, what {@link spread} does. @internal */
export function finalized(bags: readonly Artifacts[], turn: Turn, finalize: Finalize | undefined, warn: (message: string) => void): Artifacts {
  try {
    const made: unknown = finalize?.(bags, turn);
    if (typeof made === "object" && made && !("then" in made)) return made as Artifacts;
    if (finalize) throw new TypeError("it gave no object");
  } catch (error) {
    warn(`finalizeArtifacts failed, so later writes win: ${messageOf(error)}`);
  }
  return spread(bags);
}
