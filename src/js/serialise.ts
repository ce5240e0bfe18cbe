/**
 * A handler's value to the JSON text that travels. Each odd value has one stated form, and what has
 * none is an error that names the place: nothing becomes `{}` in silence.
 * Reading a value runs getters and `toJSON`, which are user code: they may throw, and then that is told.
 */
import { messageOf } from "./errors.js";
import { type MediaSource, isMedia, kindOf, mediaType } from "./kinds.js";
import type { MediaBlock } from "./media.js";

/** What travels. */
export interface Serialised {
  /** The value as JSON text. */
  json: string;
  /** Content blocks as a JSON array, when the value holds media. */
  media?: string;
}

/** A value that has no JSON form. */
export class Unserialisable extends Error {
  override readonly name = "Unserialisable";
  /** The place, as a path from `result`. */
  readonly path: string;

  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`${path} cannot be sent: ${reason}`, options);
    this.path = path;
  }
}

/** Deepest nesting that is sent; a value that goes deeper is most likely no answer for a model. */
const MAX_DEPTH = 512;

const PLAIN_BOXES = ["Number", "String", "Boolean", "BigInt"];

/** Makes text of any value, or rejects with {@link Unserialisable}. */
export async function serialise(value: unknown): Promise<Serialised> {
  const walk = new Walk();
  const json = walk.text(value, "result", "") ?? "null";
  if (walk.media.length === 0) return { json };
  const { mediaBlock } = await import("./media.js");
  const blocks: MediaBlock[] = [];
  for (const [index, found] of walk.media.entries()) {
    try {
      blocks.push(await mediaBlock(found.value, mediaType(found.value), `page://result/${index}`));
    } catch (error) {
      throw new Unserialisable(found.path, messageOf(error), { cause: error });
    }
  }
  return { json, media: JSON.stringify(blocks) };
}

/** JSON text of a value that holds no media, for arguments. */
export function toJsonText(value: unknown): string {
  const walk = new Walk();
  const json = walk.text(value, "input", "") ?? "null";
  const media = walk.media[0];
  if (media) throw new Unserialisable(media.path, "media has no JSON form");
  return json;
}

class Walk {
  readonly media: { value: MediaSource; path: string }[] = [];
  /** The objects the walk is inside of. */
  readonly #open = new Set<object>();

  /** The text of a value; undefined for what objects leave out. */
  text(value: unknown, path: string, key: string): string | undefined {
    switch (typeof value) {
      case "string":
        return quote(value);
      case "number":
        return Number.isFinite(value) ? (Object.is(value, -0) ? "-0" : String(value)) : "null";
      case "bigint":
        return String(value);
      case "boolean":
        return String(value);
      case "undefined":
        return undefined;
      case "function":
        throw new Unserialisable(path, "it is a function");
      case "symbol":
        throw new Unserialisable(path, "it is a symbol");
      default:
        return value === null ? "null" : this.#object(value as object, path, key);
    }
  }

  #object(value: object, path: string, key: string): string | undefined {
    if (this.#open.has(value)) throw new Unserialisable(path, "it contains itself");
    if (this.#open.size >= MAX_DEPTH) throw new Unserialisable(path, `it is nested deeper than ${MAX_DEPTH} levels`);
    this.#open.add(value);
    try {
      return this.#shape(value, path, key);
    } catch (error) {
      if (error instanceof Unserialisable) throw error;
      throw new Unserialisable(path, `reading it threw: ${messageOf(error)}`, { cause: error });
    } finally {
      this.#open.delete(value);
    }
  }

  #shape(value: object, path: string, key: string): string | undefined {
    if (isMedia(value)) return this.#found(value, path);
    if (isNode(value)) throw new Unserialisable(path, "it is a DOM node");
    if (isWindow(value)) throw new Unserialisable(path, "it is a window");
    const kind = kindOf(value);
    if (kind === "Error" && !hasToJson(value)) return quote(messageOf(value));
    if (hasToJson(value)) return this.text(value.toJSON(key), path, key);
    if (Array.isArray(value)) return this.#list(value, path);
    if (PLAIN_BOXES.includes(kind)) return this.text(value.valueOf(), path, key);
    if (kind === "RegExp") return quote(String(value));
    if (isThenable(value)) throw new Unserialisable(path, "it is a promise: await it first");
    // Map, Set, FormData, typed arrays of numbers: what can be gone through is a list.
    if (kind !== "Object" && isIterable(value)) return this.#list([...value], path);
    return this.#record(value as Record<string, unknown>, path);
  }

  #list(items: readonly unknown[], path: string): string {
    const texts: string[] = [];
    for (let index = 0; index < items.length; index += 1) {
      texts.push(this.text(items[index], `${path}[${index}]`, String(index)) ?? "null");
    }
    return `[${texts.join(",")}]`;
  }

  #record(value: Record<string, unknown>, path: string): string {
    const texts: string[] = [];
    for (const key of Object.keys(value)) {
      const place = /^[A-Za-z_$][\w$]*$/.test(key) ? `${path}.${key}` : `${path}[${quote(key)}]`;
      let member: unknown;
      try {
        member = value[key];
      } catch (error) {
        throw new Unserialisable(place, `reading it threw: ${messageOf(error)}`, { cause: error });
      }
      const text = this.text(member, place, key);
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

function hasToJson(value: object): value is { toJSON(key: string): unknown } {
  return typeof (value as { toJSON?: unknown }).toJSON === "function";
}

function isIterable(value: object): value is Iterable<unknown> {
  return typeof (value as { [Symbol.iterator]?: unknown })[Symbol.iterator] === "function";
}

function isThenable(value: object): boolean {
  return typeof (value as { then?: unknown }).then === "function";
}

function isNode(value: object): boolean {
  const { nodeType, nodeName } = value as { nodeType?: unknown; nodeName?: unknown };
  return typeof nodeType === "number" && typeof nodeName === "string" && !Object.hasOwn(value, "nodeType");
}

function isWindow(value: object): boolean {
  return value === globalThis || (value as { window?: unknown }).window === value;
}
