/**
 * Chance, from the platform's cryptographic source: ids and the seed of the jitter.
 */

/** A random UUID. `crypto.randomUUID` exists in secure contexts only. */
export function randomId(): string {
  // Each digit of the pattern says how many of its bits are chance.
  const chance = (digit: number) => (crypto.getRandomValues(new Uint8Array(1))[0] ?? 0) & (15 >> (digit / 4));
  return "10000000-1000-4000-8000-100000000000".replace(/[018]/g, (digit) => (+digit ^ chance(+digit)).toString(16));
}

/** A seed that JSON carries exactly. */
export function randomSeed(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high & 0xfffff) * 2 ** 32 + low;
}
