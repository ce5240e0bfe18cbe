/**
 * Listeners by kind of event. A listener that throws is reported and disturbs nobody; one that is
 * removed while an event is on its way does not get it any more.
 */

/** Options of a subscription. */
export interface ListenOptions {
  /** Ends the subscription when it aborts. */
  signal?: AbortSignal | undefined;
}

/** Ends a subscription. Calling it again does nothing. */
export type Unsubscribe = () => void;

interface Typed {
  type: string;
}

type Listener<Event> = (event: Event) => void;

/** The listeners of one source. */
export class Emitter<Event extends Typed> {
  readonly #listeners = new Map<string, Set<Listener<Event>>>();
  readonly #changed: () => void;

  /** `changed` hears when the kinds that somebody listens to may be others. */
  constructor(changed: () => void = () => undefined) {
    this.#changed = changed;
  }

  on<Type extends Event["type"]>(
    type: Type,
    listener: (event: Extract<Event, { type: Type }>) => void,
    options: ListenOptions = {},
  ): Unsubscribe {
    if (typeof listener !== "function") throw new TypeError(`the listener for ${type} is not a function`);
    const { signal } = options;
    if (signal?.aborted) return () => undefined;
    // A wrapper of its own, so that the same function twice is two subscriptions.
    const entry: Listener<Event> = (event) => listener(event as Extract<Event, { type: Type }>);
    let listeners = this.#listeners.get(type);
    if (!listeners) this.#listeners.set(type, (listeners = new Set()));
    listeners.add(entry);
    const off = () => {
      signal?.removeEventListener("abort", off);
      if (listeners.delete(entry)) this.#changed();
    };
    signal?.addEventListener("abort", off, { once: true });
    this.#changed();
    return off;
  }

  emit(event: Event): void {
    const listeners = this.#listeners.get(event.type);
    if (!listeners) return;
    for (const listener of [...listeners]) {
      if (!listeners.has(listener)) continue;
      guard(() => listener(event));
    }
  }

  /** The kinds that somebody listens to. */
  kinds(): string[] {
    return [...this.#listeners].filter(([, listeners]) => listeners.size > 0).map(([type]) => type);
  }

  clear(): void {
    this.#listeners.clear();
  }
}

/** Runs user code whose failure must not reach the caller; an async listener's rejection counts too. */
export function guard(run: () => unknown): void {
  try {
    const result = run();
    if (result instanceof Promise) result.catch(report);
  } catch (error) {
    report(error);
  }
}

/** Shows an error where the developer looks, without throwing it at anyone. */
export function report(error: unknown): void {
  console.error("pagehand: a callback threw", error);
}
