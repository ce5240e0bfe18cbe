/**
 * JSON Schemas compiled: by the checker file, which is small and takes what tools use of JSON Schema, and only where
 * that does not take one by the schema file, which is large and takes all of it. The first schema loads the first of
 * them, as it does this module: whatever that needs of the first load it is given.
 */
import type { ErrorCode } from "./codes.js";
import type { Issue, PagehandError } from "./errors.js";
import type { JsonSchema } from "./infer.js";
import type * as CheckerGlue from "./wasm/checker.js";
import type * as SchemaGlue from "./wasm/schema.js";

/** The drafts of JSON Schema. */
export type Draft = "4" | "6" | "7" | "2019-09" | "2020-12";

/** What a developer should hear about a schema. */
export interface Finding {
  level: string;
  path: string;
  message: string;
  hint?: string;
}

/** A compiled schema of either file. */
interface Raw {
  checkText(text: string): string;
  checkResult(text: string): string;
}

/** No issues. */
const NONE = "[]";

const issuesOf = (written: string): Issue[] => (written === NONE ? [] : (JSON.parse(written) as Issue[]));

/** A compiled schema. */
export class CompiledSchema {
  readonly #raw: Raw;
  /** What there is to say about the schema itself. */
  readonly findings: readonly Finding[];

  constructor(raw: Raw, findings: readonly Finding[]) {
    this.#raw = raw;
    this.findings = findings;
  }

  /** The issues of one JSON document. */
  check(text: string): Issue[] {
    return issuesOf(this.#raw.checkText(text));
  }

  /** The issues of a result as a model reads it: JSON where it parses, else a string. */
  checkResult(text: string): Issue[] {
    return issuesOf(this.#raw.checkResult(text));
  }
}

/** What it needs of whoever loads it. @internal */
export interface SchemaKit {
  /** Loads the schema file. */
  load(): Promise<typeof SchemaGlue>;
  loadChecker(): Promise<typeof CheckerGlue>;
  readonly PagehandError: typeof PagehandError;
  messageOf(thrown: unknown): string;
}

/** Texts up to so many UTF-16 units go through the room of the checker file, whose bytes are three times that. */
const ROOM_UNITS = 16 * 1024;

const encoder = new TextEncoder();

/** The checker file's glue, with the place in its memory where texts are put. */
class Room {
  readonly glue: typeof CheckerGlue;
  #bytes: Uint8Array | undefined;

  constructor(glue: typeof CheckerGlue) {
    this.glue = glue;
  }

  /** Puts a text there. Gives its length in bytes. */
  put(text: string): number {
    // Memory that grew is another buffer.
    if (!this.#bytes?.length) {
      // The place first: to make room for it the memory may grow.
      const place = this.glue.room();
      this.#bytes = new Uint8Array(this.glue.roomMemory().buffer, place, 3 * ROOM_UNITS);
    }
    return encoder.encodeInto(text, this.#bytes).written;
  }
}

/** A schema of the small set. */
class SmallSchema implements Raw {
  readonly #raw: CheckerGlue.RawSmall;
  readonly #room: Room;

  constructor(raw: CheckerGlue.RawSmall, room: Room) {
    this.#raw = raw;
    this.#room = room;
  }

  checkText(text: string): string {
    return text.length > ROOM_UNITS ? this.#raw.checkText(text) : (this.#raw.checkRoom(this.#room.put(text)) ?? NONE);
  }

  checkResult(text: string): string {
    return this.#raw.checkResult(text);
  }
}

let room: Room | undefined;

let writing: Promise<typeof import("./serialise.js")> | undefined;

/** What writes JSON. Asked for once: each time costs more than most schemas do. Beside this module, not before it. */
function writer(): Promise<typeof import("./serialise.js")> {
  writing ??= import("./serialise.js").catch((error: unknown) => {
    writing = undefined;
    throw error;
  });
  return writing;
}

/** The checker file, once it is loaded. */
async function opened(kit: SchemaKit): Promise<Room> {
  const glue = await kit.loadChecker();
  return (room ??= new Room(glue));
}

/** How a schema is read. */
interface Reading {
  /** By which draft, if it names none. */
  draft?: Draft | undefined;
  /** Whether for the input of a tool: then there may be more to say of it. */
  forInput?: boolean;
}

/** Compiles. Rejects with `invalid-schema` over the schema, or with a load error. @internal */
export async function compileSchema(kit: SchemaKit, schema: JsonSchema, { draft, forInput = false }: Reading = {}): Promise<CompiledSchema> {
  const invalid = (cause: unknown, code: ErrorCode = "invalid-schema") => new kit.PagehandError(code, kit.messageOf(cause), { cause });
  // A part that cannot be loaded says nothing about the schema either.
  const { toJsonText } = await writer();
  let text: string;
  try {
    text = toJsonText(schema, kit.messageOf);
  } catch (error) {
    throw invalid(error);
  }
  try {
    // It reads by the draft that is the default.
    const room = draft === undefined && (await opened(kit));
    const small = room && room.glue.RawSmall.compile(text, forInput);
    if (small) return new CompiledSchema(new SmallSchema(small, room), []);
  } catch {
    // The other file has the word then, also on why nothing can be loaded.
  }
  const { RawSchema, lintSchema } = await kit.load();
  try {
    return new CompiledSchema(RawSchema.compile(text, draft), forInput ? (JSON.parse(lintSchema(text)) as Finding[]) : []);
  } catch (error) {
    // A trap says nothing about the schema: whoever asked must not go on unchecked.
    throw invalid(error, error instanceof WebAssembly.RuntimeError ? "validator-unavailable" : undefined);
  }
}
