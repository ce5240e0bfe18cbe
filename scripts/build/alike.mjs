/**
 * Puts functions that are alike beside each other, where compression sees it: a hundredth and more of the file.
 *
 * Likeness is what two bodies share of runs of a few bytes, a run counting the more the fewer bodies have it. The
 * likest pairs are joined first, into chains; chains of short functions come first. The optimiser does the moving, by
 * names that tell the order. The same module gives the same order on every machine.
 */
import { dissect } from "../bytes/dissect.mjs";

/** Bytes of a run. */
const RUN = 5;
/** A run that so many bodies have says nothing of two of them, and takes long to count. */
const COMMON = 100;
/** Pairs that share less are not worth a place beside each other. */
const LEAST = 0.1;

/** The runs of a body, each as one number. */
function runsOf(body) {
  const runs = new Set();
  for (let at = 0; at + RUN <= body.length; at += 1) {
    let run = 0;
    for (let byte = 0; byte < RUN; byte += 1) run = (Math.imul(run, 257) + body[at + byte]) >>> 0;
    runs.add(run);
  }
  return runs;
}

/** Pairs that are alike, the likest first: `[likeness, one, other]`. */
function pairs(bodies) {
  const holders = new Map();
  bodies.forEach((body, index) => {
    for (const run of runsOf(body)) holders.get(run)?.push(index) ?? holders.set(run, [index]);
  });
  const weights = new Float64Array(bodies.length);
  const shared = bodies.map(() => new Map());
  for (const list of holders.values()) {
    if (list.length < 2 || list.length > COMMON) continue;
    const weight = Math.log(bodies.length / list.length) ** 2;
    for (const [at, one] of list.entries()) {
      weights[one] += weight;
      for (const other of list.slice(at + 1)) shared[one].set(other, (shared[one].get(other) ?? 0) + weight);
    }
  }
  const found = shared.flatMap((others, one) => [...others].map(([other, weight]) => [weight / Math.sqrt(weights[one] * weights[other]), one, other]));
  return found.filter(([likeness]) => likeness > LEAST).sort((left, right) => right[0] - left[0] || left[1] - right[1] || left[2] - right[2]);
}

/** Chains of indices: a pair is joined where both are ends of different chains. */
function chained(bodies) {
  const chainOf = bodies.map((_, index) => [index]);
  for (const [, one, other] of pairs(bodies)) {
    const [left, right] = [chainOf[one], chainOf[other]];
    const ends = (chain, index) => chain[0] === index || chain.at(-1) === index;
    if (left === right || !ends(left, one) || !ends(right, other)) continue;
    if (left.at(-1) !== one) left.reverse();
    if (right[0] !== other) right.reverse();
    left.push(...right);
    for (const index of right) chainOf[index] = left;
  }
  return [...new Set(chainOf)];
}

/** The order in which bodies compress best, as their indices. */
export function alike(bodies) {
  const mean = (chain) => chain.reduce((sum, index) => sum + bodies[index].length, 0) / chain.length;
  return chained(bodies)
    .map((chain) => [mean(chain), chain])
    .sort((left, right) => left[0] - right[0] || left[1][0] - right[1][0])
    .flatMap(([, chain]) => chain);
}

const number = (value) => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...number(value >>> 7)]);
const sized = (bytes) => Buffer.concat([Buffer.from(number(bytes.length)), bytes]);

/** A symbol map, written after the optimiser sorted by those names, without what says the order. */
export const withoutPlaces = (map) => map.replace(/^(\d+:)\d{6}~/gm, "$1");

/**
 * The module with names that say the order, each before the name that `names` has. It must have no names of its own.
 */
export function ordered(bytes, names) {
  const { functions, imported } = dissect(bytes);
  const place = new Map(alike(functions).map((index, at) => [index + imported, at]));
  const all = Array.from({ length: imported + functions.length }, (_, index) => {
    const at = place.has(index) ? `${String(place.get(index)).padStart(6, "0")}~` : "";
    return Buffer.concat([Buffer.from(number(index)), sized(Buffer.from(at + (names.get(index) ?? index)))]);
  });
  const functionNames = Buffer.concat([Buffer.from([1]), sized(Buffer.concat([Buffer.from(number(all.length)), ...all]))]);
  return Buffer.concat([bytes, Buffer.from([0]), sized(Buffer.concat([sized(Buffer.from("name")), functionNames]))]);
}
