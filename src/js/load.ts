/**
 * Loads a WASM file: once per file and page, however many ask at once, and again after a failure.
 * Says what went wrong in terms a developer can act on. Touches nothing before it is called.
 */
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
    const glue = this.#glue();
    // Whoever awaits it may have failed by then.
    glue.catch(() => undefined);
    const module = await this.#compile(source);
    const ready = await glue;
    let build: string;
    try {
      // It is compiled already, so this takes no time worth a promise.
      ready.initSync({ module });
      build = ready.buildInfo();
    } catch (error) {
      throw mismatch(this.#name, `it does not fit its JavaScript: ${messageOf(error)}`, error);
    }
    if (build !== VERSION) throw mismatch(this.#name, `it is of version ${build}, the JavaScript of ${VERSION}`);
    return ready;
  }

  /** The straight way: the package's file, compiled while it arrives. Every other way is loaded when it is needed. */
  async #compile(source: MaybePromise<WasmSource> | undefined): Promise<WebAssembly.Module> {
    let tried: Tried | undefined;
    if (source === undefined && !inNode()) {
      tried = { address: this.#url() };
      try {
        const response = (tried.response = await fetch(tried.address));
        if (response.ok && isWasm(response)) return await WebAssembly.compileStreaming(response);
      } catch (cause) {
        tried.refused = { cause };
      }
    }
    try {
      const { loadOtherwise } = await import("./load-otherwise.js");
      return await loadOtherwise(PagehandError, messageOf, this.#name, source, tried);
    } catch (error) {
      if (error instanceof PagehandError) throw error;
      const cause = tried?.refused ? tried.refused.cause : error;
      throw new PagehandError("wasm-load-failed", `the ${this.#name} WASM file could not be loaded: ${messageOf(cause)}`, { cause });
    }
  }
}

/** How far the straight way went. @internal */
export interface Tried {
  address: URL;
  response?: Response;
  /** What it ended with, if it did not just come as something else. */
  refused?: { cause: unknown };
}

function inNode(): unknown {
  const node = (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node;
  return node && import.meta.url.startsWith("file:");
}

/** Whether it can be compiled while it arrives: the type must be bare for that. */
function isWasm({ headers }: Response): boolean {
  return typeof WebAssembly.compileStreaming === "function" && /^application\/wasm$/i.test(headers.get("content-type") ?? "");
}

function mismatch(name: string, why: string, cause?: unknown): PagehandError {
  return new PagehandError("build-mismatch", `the ${name} WASM file cannot be used: ${why}`, { cause });
}
