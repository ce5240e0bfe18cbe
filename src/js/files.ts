/**
 * The WASM files the runtime may need, and the addresses a bundler looks for: each is written once in
 * all the package, and evaluated only when the file is wanted.
 */
import type { SchemaKit } from "./compiled.js";
import { PagehandError, messageOf } from "./errors.js";
import { type Glue, WasmFile } from "./load.js";
import { RawRuntime, __wbg_reset_state, buildInfo, initSync } from "./wasm/runtime.js";
import type * as SchemaGlue from "./wasm/schema.js";

/** The state machine and its driver. @internal */
export const runtimeFile = new WasmFile<Glue & { RawRuntime: typeof RawRuntime }>(
  "runtime",
  () => new URL("./wasm/runtime_bg.wasm", import.meta.url),
  // By name, so that a bundler leaves out what nobody uses.
  async () => ({ initSync, buildInfo, RawRuntime }),
);

/** Machines made by the dead module know it; the glue lets none of them reach the new one. */
let renewed = false;

/** Makes the module anew, once for all who ask within one trap. @internal */
export function renewRuntime(): void {
  if (renewed) return;
  __wbg_reset_state();
  renewed = true;
  // Those who ask within one trap are behind each other in this very queue.
  setTimeout(() => {
    renewed = false;
  });
}

/** The JSON Schema validator: its glue too is fetched only when a schema needs it. @internal */
export const schemaFile = new WasmFile<typeof SchemaGlue>(
  "schema",
  () => new URL("./wasm/schema_bg.wasm", import.meta.url),
  () => import("./wasm/schema.js"),
);

/** What compiles schemas is given of the first load. @internal */
export const schemaKit: SchemaKit = { load: () => schemaFile.load(), PagehandError, messageOf };
