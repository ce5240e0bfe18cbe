/** How a WASM file is loaded, and what is said when it cannot be. */
import { readFile } from "node:fs/promises";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { VERSION } from "../../src/js/codes.ts";
import { WasmFile, type Glue } from "../../src/js/load.ts";

const EMPTY = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0);
const glue = (build = VERSION): Glue & { started: unknown[] } => {
  const started: unknown[] = [];
  return { started, initSync: ({ module }) => started.push(module), buildInfo: () => build };
};
const file = (given: Glue = glue()) => new WasmFile("toy", () => new URL("https://pages.example/toy_bg.wasm"), async () => given);
const wasm = (body: BodyInit | null, type: string, status = 200) => new Response(body, { status, headers: { "content-type": type } });

afterEach(() => vi.restoreAllMocks());

describe("sources", () => {
  beforeAll(() => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
  });
  it.each<[string, () => unknown]>([
    ["bytes", () => EMPTY],
    ["an ArrayBuffer", () => EMPTY.buffer],
    ["a module", () => new WebAssembly.Module(EMPTY)],
    ["a response", () => wasm(EMPTY, "application/wasm")],
    ["a promise of a response", () => Promise.resolve(wasm(EMPTY, "application/wasm"))],
  ])("takes %s", async (_name, source) => {
    const toy = glue();
    await file(toy).load(source() as Uint8Array<ArrayBuffer>);
    expect(toy.started[0]).toBeInstanceOf(WebAssembly.Module);
  });

  it("fetches an address", async () => {
    const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async () => wasm(EMPTY, "application/wasm"));
    await file().load("/toy.wasm");
    await file().load(new URL("https://pages.example/toy.wasm"));
    expect(fetched).toHaveBeenCalledTimes(2);
  });

  it("compiles a file of the wrong type all the same, and says so", async () => {
    const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    await file().load(wasm(EMPTY, "application/octet-stream"));
    expect(warned).toHaveBeenCalledWith(expect.stringContaining("application/octet-stream"));
  });
});

describe("failures", () => {
  const failing = (source: unknown, given?: Glue) => file(given).load(source as Response).then(() => undefined, (error: unknown) => error);

  it("names the status", async () => {
    expect(await failing(wasm("gone", "text/plain", 404))).toMatchObject({ code: "wasm-load-failed", message: expect.stringContaining("404") });
  });

  it("tells a page from a WASM file", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const error = await failing(wasm("<!doctype html>", "text/html"));
    expect(error).toMatchObject({ code: "wasm-load-failed", message: expect.stringMatching(/no WASM file .*text\/html/) });
  });

  it("says that the network failed, with the cause", async () => {
    const cause = new TypeError("Failed to fetch");
    vi.spyOn(globalThis, "fetch").mockRejectedValue(cause);
    expect(await failing("https://pages.example/toy.wasm")).toMatchObject({ code: "wasm-load-failed", cause });
  });

  it("says that a broken file is broken", async () => {
    expect(await failing(Uint8Array.of(0, 97, 115, 109, 9, 9, 9, 9))).toMatchObject({ code: "wasm-load-failed" });
  });

  it("names the directive when a policy forbids even an empty module", async () => {
    const refusal = new WebAssembly.CompileError("Refused to compile");
    vi.spyOn(WebAssembly, "compile").mockRejectedValue(refusal);
    vi.spyOn(WebAssembly, "Module").mockImplementation(function () {
      throw refusal;
    });
    expect(await failing(EMPTY)).toMatchObject({ code: "wasm-blocked", message: expect.stringContaining("'wasm-unsafe-eval'") });
  });

  it("says that there is no WebAssembly", async () => {
    vi.stubGlobal("WebAssembly", undefined);
    expect(await failing(EMPTY)).toMatchObject({ code: "unsupported-environment" });
  });

  it("refuses a file of another version, and one that does not link", async () => {
    expect(await failing(EMPTY, glue("0.0.0"))).toMatchObject({ code: "build-mismatch", message: expect.stringContaining("0.0.0") });
    const broken: Glue = {
      ...glue(),
      initSync: () => {
        throw new WebAssembly.LinkError("no import");
      },
    };
    expect(await failing(EMPTY, broken)).toMatchObject({ code: "build-mismatch", message: expect.stringContaining("no import") });
  });
});

describe("the package's own file, in a page", () => {
  /** Begins a load where there is no Node. */
  const inPage = (answer: () => Promise<Response>, given?: Glue) => {
    vi.spyOn(globalThis, "fetch").mockImplementation(answer);
    vi.stubGlobal("process", undefined);
    const loading = file(given).load().then(() => undefined, (error: unknown) => error);
    vi.unstubAllGlobals();
    return loading;
  };

  it("is compiled while it arrives", async () => {
    const streamed = vi.spyOn(WebAssembly, "compileStreaming");
    const toy = glue();
    expect(await inPage(async () => wasm(EMPTY, "application/wasm"), toy)).toBeUndefined();
    expect(streamed).toHaveBeenCalledOnce();
    expect(fetch).toHaveBeenCalledWith(new URL("https://pages.example/toy_bg.wasm"));
    expect(toy.started[0]).toBeInstanceOf(WebAssembly.Module);
  });

  it("is compiled under a type with parameters, which no browser streams", async () => {
    const warned = vi.spyOn(console, "warn");
    expect(await inPage(async () => wasm(EMPTY, "application/wasm; charset=binary"))).toBeUndefined();
    expect(warned).not.toHaveBeenCalled();
  });

  it("is compiled all the same under a wrong type", async () => {
    const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    expect(await inPage(async () => wasm(EMPTY, "text/plain"))).toBeUndefined();
    expect(warned).toHaveBeenCalledWith(expect.stringContaining("text/plain"));
  });

  it.each<[string, () => Promise<Response>, RegExp]>([
    ["is not there", async () => wasm("gone", "text/plain", 404), /answered 404/],
    ["cannot be reached", async () => Promise.reject(new TypeError("Failed to fetch")), /toy_bg\.wasm.*Failed to fetch.*connect-src/],
    ["is a page", async () => wasm("<!doctype html>", "text/html"), /no WASM file/],
    ["is broken", async () => wasm(Uint8Array.of(0, 97, 115, 109, 9, 9, 9, 9), "application/wasm"), /could not be loaded/],
  ])("that %s is an error that says so", async (_name, answer, words) => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    expect(await inPage(answer)).toMatchObject({ code: "wasm-load-failed", message: expect.stringMatching(words) });
  });

  it("that a policy forbids names the directive", async () => {
    const refusal = new WebAssembly.CompileError("Refused to compile");
    vi.spyOn(WebAssembly, "compileStreaming").mockRejectedValue(refusal);
    vi.spyOn(WebAssembly, "Module").mockImplementation(function () {
      throw refusal;
    });
    expect(await inPage(async () => wasm(EMPTY, "application/wasm"))).toMatchObject({ code: "wasm-blocked", cause: refusal });
  });

  it("fails with what went wrong first when the part that explains it cannot be loaded either", async () => {
    vi.resetModules();
    vi.doMock("../../src/js/load-otherwise.ts", () => {
      throw new Error("404");
    });
    const { WasmFile: Fresh } = await import("../../src/js/load.ts");
    const cause = new TypeError("Failed to fetch");
    vi.spyOn(globalThis, "fetch").mockRejectedValue(cause);
    vi.stubGlobal("process", undefined);
    const loading = new Fresh("toy", () => new URL("https://pages.example/toy_bg.wasm"), async () => glue()).load();
    vi.unstubAllGlobals();
    await expect(loading).rejects.toMatchObject({ code: "wasm-load-failed", message: expect.stringContaining("Failed to fetch"), cause });
    vi.doUnmock("../../src/js/load-otherwise.ts");
    vi.resetModules();
  });
});

describe("sharing", () => {
  it("loads once however many ask", async () => {
    const toy = glue();
    const one = file(toy);
    const source = EMPTY;
    await Promise.all([one.load(source), one.load(), one.load()]);
    await one.load();
    expect(toy.started).toHaveLength(1);
  });

  it("does not keep a failure", async () => {
    const one = file();
    await expect(one.load(wasm(null, "text/plain", 503))).rejects.toMatchObject({ code: "wasm-load-failed" });
    await expect(one.load(EMPTY)).resolves.toBeDefined();
  });

  it("refuses another source after a success", async () => {
    const one = file();
    await one.load(EMPTY);
    await expect(one.load("https://pages.example/other.wasm")).rejects.toMatchObject({ code: "invalid-options" });
  });
});

it("reads the package's own files in Node without a fetch", async () => {
  const fetched = vi.spyOn(globalThis, "fetch");
  const { init } = await import("pagehand");
  await init();
  expect(fetched).not.toHaveBeenCalled();
  const bytes = await readFile(new URL("../../pkg/wasm/runtime_bg.wasm", import.meta.url));
  expect(bytes.subarray(0, 4)).toEqual(Buffer.from("\0asm"));
});
