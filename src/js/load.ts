/**
 * Loads a WASM file: once per file and page, however many ask at once, and again after a failure.
 * Says what went wrong in terms a developer can act on. Touches nothing before it is called.
 */
import type { ErrorCode } from "./codes.js";
import { VERSION } from "./codes.js";
import { PagehandError, messageOf } from "./errors.js";

/** Where a WASM file may come from. */
export type WasmSource = string | URL | Request | Response | BufferSource | WebAssembly.Module;

/** A source, or a promise of one. */
export type MaybePromise<T> = T | PromiseLike<T>;

/** What the generated glue of every file offers. @internal */
export interface Glue {
  initSync(options: { module: WebAssembly.Module }): unknown;
  buildInfo(): string;
}

/** One WASM file and how to get it. @internal */
export class WasmFile<G extends Glue> {
  readonly #name: string;
  readonly #url: () => URL;
  readonly #glue: () => Promise<G>;
  #loading: Promise<G> | undefined;
  #source: MaybePromise<WasmSource> | undefined;

  constructor(name: string, url: () => URL, glue: () => Promise<G>) {
    this.#name = name;
    this.#url = url;
    this.#glue = glue;
  }

  /** The glue, once the module runs behind it. Every caller shares one load. */
  load(source?: MaybePromise<WasmSource>): Promise<G> {
    if (this.#loading) {
      if (source !== undefined && source !== this.#source) {
        return Promise.reject(
          new PagehandError("invalid-options", `the ${this.#name} WASM file was already loaded from another source`),
        );
      }
      return this.#loading;
    }
    this.#source = source;
    const loading = this.#start(source);
    this.#loading = loading;
    // A failure is not kept: the network may be back when the next one asks.
    loading.catch(() => {
      this.#loading = undefined;
    });
    return loading;
  }

  async #start(source: MaybePromise<WasmSource> | undefined): Promise<G> {
    if (typeof WebAssembly !== "object") throw new PagehandError("unsupported-environment", "there is no WebAssembly here");
    const given = source === undefined ? await fromPackage(this.#name, this.#url) : await resolve(source);
    const module = await compile(given, this.#name);
    const glue = await this.#glue();
    try {
      // It is compiled already, so this takes no time worth a promise.
      glue.initSync({ module });
    } catch (error) {
      throw mismatch(this.#name, `it does not fit its JavaScript: ${messageOf(error)}`, error);
    }
    const build = glue.buildInfo();
    if (build !== VERSION) throw mismatch(this.#name, `it is of version ${build}, the JavaScript of ${VERSION}`);
    return glue;
  }
}

function failed(name: string, why: string, cause?: unknown): PagehandError {
  return new PagehandError("wasm-load-failed", `the ${name} WASM file could not be loaded: ${why}`, { cause });
}

function mismatch(name: string, why: string, cause?: unknown): PagehandError {
  return new PagehandError("build-mismatch", `the ${name} WASM file cannot be used: ${why}`, { cause });
}

async function resolve(source: MaybePromise<WasmSource>): Promise<Response | BufferSource | WebAssembly.Module> {
  let given: WasmSource;
  try {
    given = await source;
  } catch (error) {
    throw failed("given", messageOf(error), error);
  }
  if (typeof given === "string" || given instanceof URL || given instanceof Request) return get(given);
  return given;
}

async function get(address: string | URL | Request): Promise<Response> {
  const url = address instanceof Request ? address.url : String(address);
  try {
    return await fetch(address);
  } catch (error) {
    throw failed(url, `${messageOf(error)} (is the address right, and does connect-src allow it?)`, error);
  }
}

/** The file beside this one. Node has no `fetch` for it, so there it is read. */
async function fromPackage(name: string, url: () => URL): Promise<Response | BufferSource> {
  const node = (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node;
  if (!node || !import.meta.url.startsWith("file:")) return get(url());
  // Spelled so that bundlers neither resolve the module nor take the path for an asset of theirs.
  const fs = "node:fs/promises";
  const { readFile } = (await import(/* webpackIgnore: true */ /* @vite-ignore */ fs)) as {
    readFile(path: URL): Promise<Uint8Array<ArrayBuffer>>;
  };
  try {
    return await readFile(new URL(import.meta.url.replace(/[^/]*$/, `wasm/${name}_bg.wasm`)));
  } catch (error) {
    throw failed(name, messageOf(error), error);
  }
}

async function compile(given: Response | BufferSource | WebAssembly.Module, name: string): Promise<WebAssembly.Module> {
  if (given instanceof WebAssembly.Module) return given;
  if (!(given instanceof Response)) return compileBytes(given, name, "");
  const where = given.url || "the response";
  if (!given.ok) throw failed(name, `${where} answered ${given.status}`);
  const type = given.headers.get("content-type") ?? "no content type";
  if (/^application\/wasm\b/i.test(type) && typeof WebAssembly.compileStreaming === "function") {
    try {
      return await WebAssembly.compileStreaming(given);
    } catch (error) {
      throw classify(error, name, where);
    }
  }
  let bytes: ArrayBuffer;
  try {
    bytes = await given.arrayBuffer();
  } catch (error) {
    throw failed(name, `${where} broke off: ${messageOf(error)}`, error);
  }
  if (!/^application\/wasm\b/i.test(type)) {
    console.warn(`pagehand: ${where} is served as ${type}, not as application/wasm`);
  }
  return compileBytes(bytes, name, ` (${where}, ${type})`);
}

async function compileBytes(bytes: BufferSource, name: string, note: string): Promise<WebAssembly.Module> {
  const view = ArrayBuffer.isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, 4) : undefined;
  const head = view ?? new Uint8Array(bytes as ArrayBuffer).subarray(0, 4);
  if (head.join() !== "0,97,115,109") throw failed(name, `what came is no WASM file${note}`);
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    throw classify(error, name, note);
  }
}

/** Tells a policy that forbids WASM from a file that is broken: then even an empty module is refused. */
function classify(error: unknown, name: string, where: string): PagehandError {
  if (isBlocked()) {
    const code: ErrorCode = "wasm-blocked";
    const directive = "script-src 'self' 'wasm-unsafe-eval'";
    return new PagehandError(
      code,
      `this page's Content-Security-Policy forbids WebAssembly: add 'wasm-unsafe-eval' to script-src, e.g. ${directive}`,
      { cause: error },
    );
  }
  return failed(name, `${messageOf(error)} ${where}`.trim(), error);
}

function isBlocked(): boolean {
  try {
    return !new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
  } catch {
    return true;
  }
}
