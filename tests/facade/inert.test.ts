/** Importing any entry does nothing: no fetch, no timer, no global touched. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it.each(["index.js", "ask/index.js", "schema.js", "page.js", "testing.js", "webmcp.js", "worker.js"])("pkg/%s can be imported on a server", (file) => {
  const url = new URL(`../../pkg/${file}`, import.meta.url).href;
  const script = `
    const touched = [];
    for (const name of ["fetch", "setTimeout", "setInterval", "queueMicrotask", "addEventListener", "requestIdleCallback"]) {
      globalThis[name] = () => touched.push(name);
    }
    for (const name of ["WebAssembly", "crypto", "Request", "Response", "Headers", "AbortController", "ReadableStream", "performance"]) {
      Object.defineProperty(globalThis, name, { get() { touched.push(name); }, configurable: true });
    }
    const before = Object.getOwnPropertyNames(globalThis).length;
    await import(${JSON.stringify(url)});
    if (Object.getOwnPropertyNames(globalThis).length !== before) touched.push("a new global");
    process.stdout.write(JSON.stringify(touched));
  `;
  const root = fileURLToPath(new URL("../..", import.meta.url));
  expect(execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: root, encoding: "utf8" })).toBe("[]");
});
