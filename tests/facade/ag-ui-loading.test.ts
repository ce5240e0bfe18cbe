/** What is loaded for which transport, and that the two modules of a page do not share their traps. */
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Runtime, type RuntimeOptions, createRuntime, tool } from "pagehand";
import { oneCall, open } from "./page.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const nowhere = async () => new Response(null, { status: 403 });

/** Runs a module in a process that has loaded nothing yet; gives what it prints as JSON. */
function fresh(script: string): unknown {
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: root, encoding: "utf8" }));
}

/** The WASM files that Node reads for a runtime of these options. */
function filesReadFor(options: string): unknown {
  return fresh(`
    import fs from "node:fs/promises";
    import { syncBuiltinESMExports } from "node:module";
    const read = fs.readFile;
    const files = [];
    fs.readFile = (path, ...rest) => (String(path).endsWith(".wasm") && files.push(String(path).split("/").at(-1)), read(path, ...rest));
    syncBuiltinESMExports();
    const { createRuntime } = await import("./pkg/index.js");
    const runtime = await createRuntime({ fetch: async () => new Response(null, { status: 403 }), ...${options} });
    await runtime.close();
    console.log(JSON.stringify(files));
  `);
}

describe("the files of a transport", () => {
  it("are the runtime's own without AG-UI, and never AG-UI's", () => {
    expect(filesReadFor('{ engine: "https://e.test", agent: "a" }')).toEqual(["runtime_bg.wasm"]);
    expect(filesReadFor('{ engine: "https://e.test", agent: "a", transport: "trigger" }')).toEqual(["runtime_bg.wasm"]);
  });

  it("are AG-UI's instead of the runtime's over AG-UI", () => {
    expect(filesReadFor('{ engine: "https://e.test/run", transport: "ag-ui" }')).toEqual(["ag_ui_bg.wasm"]);
  });

  it("may come from elsewhere, of which a failure names the file and is not kept", () => {
    const script = `
      const { createRuntime } = await import("./pkg/index.js");
      const options = { engine: "https://e.test/run", transport: "ag-ui" };
      const failure = await createRuntime({ ...options, wasm: new Response("gone", { status: 404 }) }).catch(({ code, message }) => ({ code, message }));
      await (await createRuntime(options)).close();
      console.log(JSON.stringify(failure));
    `;
    expect(fresh(script)).toEqual({ code: "wasm-load-failed", message: expect.stringMatching(/ag_ui WASM file .*404/) });
  });

  it("come in parts of which the first load has none of AG-UI", async () => {
    const made = await build({ entryPoints: [`${root}/pkg/index.js`], bundle: true, splitting: true, format: "esm", write: false, metafile: true, platform: "neutral", outdir: "out", absWorkingDir: root, external: ["node:*", "*.wasm"] });
    const { outputs } = made.metafile;
    const of = (path: string) => outputs[path]!;
    const first = new Set(Object.keys(outputs).filter((path) => of(path).entryPoint === "pkg/index.js"));
    for (const path of first) for (const { path: next, kind } of of(path).imports) if (kind === "import-statement") first.add(next);
    const inFirst = [...first].flatMap((path) => Object.keys(of(path).inputs));
    expect(inFirst).toContain("pkg/wasm/machine.js");
    expect(inFirst.filter((file) => /ag.ui/.test(file))).toEqual([]);
    // Nor does AG-UI's part make the first load come in more parts than one.
    expect([...first].filter((path) => of(path).imports.some(({ kind }) => kind === "import-statement"))).toEqual([]);
  });

  it("have addresses that are written once each, for bundlers", () => {
    const files = readdirSync(`${root}/pkg`, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".js"));
    const found = files.flatMap((file) => readFileSync(`${root}/pkg/${file}`, "utf8").match(/new URL\("[^"]*ag_ui_bg\.wasm"/g) ?? []);
    expect(found).toEqual(['new URL("./wasm/ag_ui_bg.wasm"']);
  });
});

describe("a trap", () => {
  const trap = (runtime: Runtime) => (runtime as unknown as Record<symbol, (later: boolean) => void>)[Symbol.for("pagehand.trap")]?.(false);
  const agUi = async (options: Partial<RuntimeOptions> = {}) => {
    const runtime = await createRuntime({ engine: "https://ag-ui.test/run", transport: "ag-ui", fetch: nowhere, tools: [tool({ name: "t", execute: () => "fine" })], ...options } as RuntimeOptions);
    onTestFinished(() => runtime.close());
    return runtime;
  };
  const watch = (...runtimes: Runtime[]) => {
    const fatal: number[] = [];
    runtimes.forEach((runtime, index) => runtime.on("fatal", () => fatal.push(index)));
    return fatal;
  };

  it("of AG-UI's module is none of the other's: what runs there goes on", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    let go = () => {};
    const native = await open(oneCall("slow"), { tools: [tool({ name: "slow", execute: () => new Promise<string>((resolve) => (go = () => resolve("went on"))) })] });
    const [one, other] = [await agUi(), await agUi()];
    const fatal = watch(native.runtime, one, other);
    const turn = native.runtime.send("go");
    await expect.poll(() => native.runtime.pending.map((call) => call.state)).toEqual(["running"]);
    await expect.poll(() => Symbol.for("pagehand.trap") in one).toBe(true);
    trap(one);
    await expect.poll(() => fatal).toEqual([1, 2]);
    go();
    expect(await turn.finished).toMatchObject({ status: "completed" });
    expect(native.engine.calls(native.runtime.sessionId)[0]?.rendered).toBe("went on");
    for (const runtime of [one, other]) expect((await runtime.invoke("t")).data).toBe("fine");
  });

  it("of the native module leaves AG-UI's alone, and each module is made anew for itself", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { runtime: native } = await open({}, { tools: [tool({ name: "n", execute: () => "native" })] });
    const over = await agUi();
    const fatal = watch(native, over);
    await expect.poll(() => Symbol.for("pagehand.trap") in native && Symbol.for("pagehand.trap") in over).toBe(true);
    trap(native);
    await expect.poll(() => fatal).toEqual([0]);
    trap(over);
    await expect.poll(() => fatal).toEqual([0, 1]);
    expect((await native.invoke("n")).data).toBe("native");
    expect((await over.invoke("t")).data).toBe("fine");
    expect([native.state, over.state]).not.toContain("closed");
  });
});
