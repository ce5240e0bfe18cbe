/**
 * Lists by name, and what keeps a map from growing without end.
 */

/** Lists by name; a name whose list was taken has none. @internal */
export class Lists<Item> {
  readonly #lists = new Map<string, Item[]>();
  readonly #changed: () => void;

  /** `changed` hears of what is added and taken. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get size(): number {
    return this.#lists.size;
  }

  names(): string[] {
    return [...this.#lists.keys()];
  }

  add(name: string, item: Item): void {
    this.#lists.set(name, [...(this.#lists.get(name) ?? []), item]);
    this.#changed();
  }

  take(name: string): Item[] {
    const list = this.#lists.get(name) ?? [];
    if (this.#lists.delete(name)) this.#changed();
    return list;
  }
}

/** Lets the oldest entry of a map go when there is one too many. @internal */
export function cap(map: Map<string, unknown>, most: number): void {
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
