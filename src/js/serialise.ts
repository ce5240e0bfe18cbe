/**
 * A handler's value to the JSON text that travels. Each odd value has one stated form, and what has
 * none is an error that names the place: nothing becomes `{}` in silence.
 * Reading a value runs getters and `toJSON`, which are user code: they may throw, and then that is told.
 * Loaded by the first call; how a thrown thing is put into words it is given.
 */
import { type MediaSource, isMedia, kindOf, mediaType } from "./kinds.js";
import type { MediaBlock } from "./media.js";

/** What a thrown thing is in words. */
type Words = (thrown: unknown) => string;

/** What travels. */
export interface Serialised {
  /** The value as JSON text. */
  json: string;
  /** Content blocks as a JSON array, when the value holds media. */
  media?: string;
}

/** A value that has no JSON form. The message begins with its place, as a path from `result`, say. */
export class Unserialisable extends Error {
  override readonly name = "Unserialisable";

  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`${path.slice(0, 120)} cannot be sent: ${reason}`, options);
  }
}

/** Deepest nesting that is sent: common JSON readers take 128 levels, and the message around it has some. */
const MAX_DEPTH = 100;

/** Most items of one list. What is gone through may have no end. */
const MAX_ITEMS = 1 << 22;

/** Makes text of any value, or rejects with {@link Unserialisable}. */
export async function serialise(value: unknown, words: Words): Promise<Serialised> {
  const walk = new Walk(words);
  const json = walk.whole(value, "result");
  if (walk.media.length === 0) return { json };
  const { mediaBlock } = await import("./media.js");
  const blocks: MediaBlock[] = [];
  for (const [index, found] of walk.media.entries()) {
    try {
      blocks.push(await mediaBlock(found.value, mediaType(found.value), `page://result/${index}`));
    } catch (error) {
      throw new Unserialisable(found.path, words(error), { cause: error });
    }
  }
  return { json, media: JSON.stringify(blocks) };
}

/** JSON text of a value that holds no media, for arguments and the like. `path` is what it is called in errors. */
export function toJsonText(value: unknown, words: Words, path = "input"): string {
  const walk = new Walk(words);
  const json = walk.whole(value, path);
  const media = walk.media[0];
  if (media) throw new Unserialisable(media.path, "media has no JSON form");
  return json;
}

class Walk {
  readonly media: { value: MediaSource; path: string }[] = [];
  /** The objects the walk is inside of. */
  readonly #open = new Set<object>();
  readonly #words: Words;

  constructor(words: Words) {
    this.#words = words;
  }

  /** The place that is being read. */
  #path = "";

  /** The text of a whole value. An error ends the walk: it is of no more use. */
  whole(value: unknown, path: string): string {
    try {
      return this.#text(value, path, "") ?? "null";
    } catch (error) {
      if (error instanceof Unserialisable) throw error;
      throw new Unserialisable(this.#path, `reading it threw: ${this.#words(error)}`, { cause: error });
    }
  }

  /** The text of a value; undefined for what objects leave out. */
  #text(value: unknown, path: string, key: string): string | undefined {
    this.#path = path;
    switch (typeof value) {
      case "string":
        return quote(value);
      case "number":
        return Number.isFinite(value) ? (Object.is(value, -0) ? "-0" : String(value)) : "null";
      case "bigint":
      case "boolean":
        return String(value);
      case "undefined":
        return undefined;
      case "object":
        return value === null ? "null" : this.#object(value, path, key);
      default:
        throw new Unserialisable(path, `it is a ${typeof value}`);
    }
  }

  #object(value: object, path: string, key: string): string | undefined {
    if (this.#open.has(value)) throw new Unserialisable(path, "it contains itself");
    if (this.#open.size >= MAX_DEPTH) throw new Unserialisable(path, `it is nested deeper than ${MAX_DEPTH} levels`);
    this.#open.add(value);
    const text = this.#shape(value, path, key);
    this.#open.delete(value);
    return text;
  }

  #shape(value: object, path: string, key: string): string | undefined {
    if (isMedia(value)) return this.#found(value, path);
    const kind = kindOf(value);
    if (can(value, "toJSON")) return this.#text(value.toJSON(key), path, key);
    if (kind === "Error" || kind === "DOMException") return quote(this.#words(value));
    if (Array.isArray(value)) return this.#list(value, path);
    if (/^(Number|String|Boolean|BigInt)$/.test(kind)) return this.#text(value.valueOf(), path, key);
    if (kind === "RegExp") return quote(String(value));
    if (can(value, "then")) throw new Unserialisable(path, "it is a promise: await it first");
    const foreign = isForeign(value, kind);
    // Map, Set, FormData, typed arrays of numbers: what can be gone through is a list.
    if (!foreign && kind !== "Object" && can(value, Symbol.iterator)) return this.#list(value as Iterable<unknown>, path);
    if (foreign || isEmpty(value, kind)) {
      throw new Unserialisable(path, `it is a ${kind === "Object" ? value.constructor?.name : kind} without data to send`);
    }
    return this.#record(value as Record<string, unknown>, path);
  }

  #list(items: Iterable<unknown>, path: string): string {
    const texts: string[] = [];
    for (const item of items) {
      const index = texts.length;
      if (index >= MAX_ITEMS) throw new Unserialisable(path, `it has more than ${MAX_ITEMS} items`);
      texts.push(this.#text(item, `${path}[${index}]`, `${index}`) ?? "null");
      this.#path = path;
    }
    return `[${texts.join(",")}]`;
  }

  #record(value: Record<string, unknown>, path: string): string {
    const texts: string[] = [];
    for (const key of Object.keys(value)) {
      const place = /^[A-Za-z_$][\w$]*$/.test(key) ? `${path}.${key}` : `${path}[${quote(key)}]`;
      this.#path = place;
      const text = this.#text(value[key], place, key);
      if (text !== undefined) texts.push(`${quote(key)}:${text}`);
    }
    return `{${texts.join(",")}}`;
  }

  /** Media travels beside the text, which says where it was. */
  #found(value: MediaSource, path: string): string {
    const note = `[${mediaType(value)}, content ${this.media.length + 1}]`;
    this.media.push({ value, path });
    return quote(note);
  }
}

/** A JSON string. Lone surrogates become U+FFFD: as escapes they would pass here and fail at the engine. */
function quote(text: string): string {
  return JSON.stringify(/\p{Surrogate}/u.test(text) ? text.replace(/\p{Surrogate}/gu, "\ufffd") : text);
}

/** Whether it has a method. */
function can<Key extends PropertyKey>(value: object, key: Key): value is Record<Key, (argument?: unknown) => unknown> {
  return typeof (value as Record<PropertyKey, unknown>)[key] === "function";
}

/** Whether it is a part of the page: a window, an event, a node, whatever the page has hung on to it. */
function isForeign(value: object, kind: string): boolean {
  return value === globalThis || /^Window$|Event$/.test(kind) || ("nodeType" in value && !Object.hasOwn(value, "nodeType"));
}

/** Whether a record would tell nothing of it: a `Response`, a `WeakMap`, an instance whose fields are all private. */
function isEmpty(value: object, kind: string): boolean {
  if (Object.keys(value).length > 0 || kind === "DOMStringMap") return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Plain objects of other realms have another `Object.prototype`, which has no prototype either.
  return kind !== "Object" || (prototype !== null && Object.getPrototypeOf(prototype) !== null);
}
