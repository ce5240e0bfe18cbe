/**
 * The WASM files the runtime may need, and the addresses a bundler looks for: each is written once in
 * all the package, and evaluated only when the file is wanted. That of AG-UI is in `ag-ui.ts`, which loads it.
 */
import type { SchemaKit } from "./compiled.js";
import { PagehandError, messageOf } from "./errors.js";
import { WasmFile } from "./load.js";
import { type Machines, machinesOf } from "./machines.js";
import type * as CheckerGlue from "./wasm/checker.js";
import type * as SchemaGlue from "./wasm/schema.js";

/** The state machine and its driver. @internal */
export const runtimeFile = new WasmFile<Machines>(
  "runtime",
  () => new URL("./wasm/runtime_bg.wasm", import.meta.url),
  async () => machinesOf(),
);

/** The checker of what tools use of JSON Schema. @internal */
export const checkerFile = new WasmFile<typeof CheckerGlue>(
  "checker",
  () => new URL("./wasm/checker_bg.wasm", import.meta.url),
  () => import("./wasm/checker.js"),
);

/** The JSON Schema validator: its glue too is fetched only when a schema needs it. @internal */
export const schemaFile = new WasmFile<typeof SchemaGlue>(
  "schema",
  () => new URL("./wasm/schema_bg.wasm", import.meta.url),
  () => import("./wasm/schema.js"),
);

/** What compiles schemas is given of the first load. @internal */
export const schemaKit: SchemaKit = { load: () => schemaFile.load(), loadChecker: () => checkerFile.load(), PagehandError, messageOf };
