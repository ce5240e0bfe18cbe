/**
 * The WASM files the runtime may need, and the addresses a bundler looks for: each is written once in
 * all the package, and evaluated only when the file is wanted.
 */
import { WasmFile } from "./load.js";
import * as runtimeGlue from "./wasm/runtime.js";
import type * as SchemaGlue from "./wasm/schema.js";

/** The state machine and its driver. @internal */
export const runtimeFile = new WasmFile<typeof runtimeGlue>(
  "runtime",
  () => new URL("./wasm/runtime_bg.wasm", import.meta.url),
  async () => runtimeGlue,
);

/** The JSON Schema validator: its glue too is fetched only when a schema needs it. @internal */
export const schemaFile = new WasmFile<typeof SchemaGlue>(
  "schema",
  () => new URL("./wasm/schema_bg.wasm", import.meta.url),
  () => import("./wasm/schema.js"),
);
