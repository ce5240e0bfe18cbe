/**
 * The WASM file of the page tools. Apart from the other files' addresses, so that whoever does not use page tools has
 * none of this in the first load.
 */
import { WasmFile } from "./load.js";
import type * as PageGlue from "./wasm/page.js";

/** The page tools. @internal */
export const pageFile = new WasmFile<typeof PageGlue>(
  "page",
  () => new URL("./wasm/page_bg.wasm", import.meta.url),
  () => import("./wasm/page.js"),
);
