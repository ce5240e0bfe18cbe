/**
 * Loads a WASM file in every way but the straight one: from where the caller says, from bytes, in Node, served under
 * a wrong type. Says what is wrong with one that cannot be loaded, in terms a developer can act on.
 * Loaded when that is the case; whatever it needs of the first load it is given.
 */
import type { PagehandError as ErrorClass } from "./errors.js";
import type { MaybePromise, Tried, WasmSource } from "./load.js";

type Bytes = Response | BufferSource | WebAssembly.Module;

/** Makes the error of a failed load. */
type Failed = (why: string, cause?: unknown) => ErrorClass;

/** Loads and compiles it. Rejects with a load error. `tried` says how far the straight way went. @internal */
export async function loadOtherwise(
  PagehandError: typeof ErrorClass,
  messageOf: (thrown: unknown) => string,
  name: string,
  source: MaybePromise<WasmSource> | undefined,
  tried: Tried | undefined,
): Promise<WebAssembly.Module> {
  const failing = (what: string): Failed => (why, cause) => new PagehandError("wasm-load-failed", `the ${what} WASM file could not be loaded: ${why}`, { cause });
  const failed = failing(name);
  /** Tells a policy that forbids WASM from a file that is broken: then even an empty module is refused. */
  const classify = (cause: unknown, where: string) => {
    if (!isBlocked()) return failed(`${messageOf(cause)} ${where}`.trim(), cause);
    const directive = "script-src 'self' 'wasm-unsafe-eval'";
    const advice = `this page's Content-Security-Policy forbids WebAssembly: add 'wasm-unsafe-eval' to script-src, e.g. ${directive}`;
    return new PagehandError("wasm-blocked", advice, { cause });
  };
  const get = async (address: string | URL | Request): Promise<Response> => {
    try {
      return await fetch(address);
    } catch (error) {
      throw unreachable(error, address instanceof Request ? address.url : String(address));
    }
  };
  const unreachable = (cause: unknown, url: string) => failing(url)(`${messageOf(cause)} (is the address right, and does connect-src allow it?)`, cause);
  const resolve = async (): Promise<Bytes> => {
    let given: WasmSource;
    try {
      given = await (source as MaybePromise<WasmSource>);
    } catch (error) {
      throw failing("given")(messageOf(error), error);
    }
    return typeof given === "string" || given instanceof URL || given instanceof Request ? get(given) : given;
  };

  if (tried?.refused && !tried.response) throw unreachable(tried.refused.cause, String(tried.address));
  if (tried?.refused) throw classify(tried.refused.cause, tried.response?.url ?? "");
  const given = tried?.response ?? (source === undefined ? await readBeside(name, failed, messageOf) : await resolve());
  let bytes = given as BufferSource;
  let note = "";
  if (given instanceof Response) {
    const where = given.url || "the response";
    if (!given.ok) throw failed(`${where} answered ${given.status}`);
    const type = given.headers.get("content-type") ?? "no content type";
    note = ` (${where}, ${type})`;
    try {
      if (/^application\/wasm$/i.test(type) && typeof WebAssembly.compileStreaming === "function") return await WebAssembly.compileStreaming(given);
    } catch (error) {
      throw classify(error, where);
    }
    try {
      bytes = await given.arrayBuffer();
    } catch (error) {
      throw failed(`${where} broke off: ${messageOf(error)}`, error);
    }
    if (!/^application\/wasm\b/i.test(type)) console.warn(`pagehand: ${where} is served as ${type}, not as application/wasm`);
  } else if (given instanceof WebAssembly.Module) return given;
  if (headOf(bytes) !== "0,97,115,109") throw failed(`what came is no WASM file${note}`);
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    throw classify(error, note);
  }
}

/** The first four bytes. */
function headOf(bytes: BufferSource): string {
  const view = ArrayBuffer.isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : new Uint8Array(bytes);
  return view.subarray(0, 4).join();
}

function isBlocked(): boolean {
  try {
    return !new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
  } catch {
    return true;
  }
}

/** Reads the package's own file in Node, whose `fetch` takes no file. */
async function readBeside(name: string, failed: Failed, messageOf: (thrown: unknown) => string): Promise<BufferSource> {
  try {
    // Spelled so that bundlers neither resolve the module nor take the path for an asset of theirs.
    const fs = "node:fs/promises";
    const { readFile } = (await import(/* webpackIgnore: true */ /* @vite-ignore */ fs)) as {
      readFile(path: URL): Promise<Uint8Array<ArrayBuffer>>;
    };
    return await readFile(new URL(import.meta.url.replace(/[^/]*$/, `wasm/${name}_bg.wasm`)));
  } catch (error) {
    throw failed(messageOf(error), error);
  }
}
