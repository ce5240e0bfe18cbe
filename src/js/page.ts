/**
 * The entry `pagehand/page`: ready tools with which a model reads the page and acts in it as a person's hands do.
 * Importing it does nothing; `pageTools()` loads the WASM file that does the work.
 */
import { PagehandError, messageOf } from "./errors.js";
import type { JsonSchema } from "./infer.js";
import type { MaybePromise, WasmSource } from "./load.js";
import { pageFile } from "./page-file.js";
import { watchPasswords } from "./page-own.js";
import { PageRuns } from "./page-runs.js";
import { type PageToolName, type PageToolSpec, pageToolSpecs } from "./page-schemas.js";
import { type Tool, type ToolFields, tool } from "./tool.js";

export { browserTools, missingBrowserTools } from "./browser-tools.js";
export type {
  Approval,
  BrowserLimits,
  BrowserTexts,
  BrowserToolError,
  BrowserToolName,
  BrowserToolsOptions,
  MissingBrowserTool,
  PartialBrowserTexts,
  TroubleReason,
} from "./browser-tools.js";
export type { PageToolName } from "./page-schemas.js";

/** Options of {@link pageTools}. */
export interface PageToolsOptions {
  /** The part of the page that there is for the tools: an element or a CSS selector. @defaultValue the whole document */
  root?: Element | string | undefined;
  /** A CSS selector of the parts that may be acted on. @defaultValue all of `root` */
  allow?: string | undefined;
  /** A CSS selector of the parts that may not be acted on, whatever `allow` says. */
  deny?: string | undefined;
  /** A CSS selector of parts whose text and values are masked, beside `[data-private]`, passwords and card numbers. */
  mask?: string | undefined;
  /**
   * Whether a person must agree before a click, a key, a form or a navigation. `"once"`: the first yes to each of these
   * tools covers its later calls for ten minutes. @defaultValue `"always"`
   */
  approve?: ToolFields<never>["approve"];
}

/** Calls of tools that act run one after another, those of every set of page tools alike. */
const LANE = "page";

/** Loads the page tools' WASM file ahead of their first use, or from an address of your own. */
export async function init(source?: MaybePromise<WasmSource>): Promise<void> {
  await pageFile.load(source);
}

/**
 * Makes the tools, for `createRuntime({ tools })` or `runtime.register`. Rejects with `invalid-options` over options,
 * with `unsupported-environment` where there is no page, or with a load error.
 */
export async function pageTools(options: PageToolsOptions = {}): Promise<readonly Tool[]> {
  if (typeof options !== "object" || options === null) throw new PagehandError("invalid-options", "the options must be an object");
  for (const key of ["allow", "deny", "mask"] as const) {
    const given: unknown = options[key];
    if (given !== undefined && typeof given !== "string") throw new PagehandError("invalid-options", `option \`${key}\` must be a CSS selector`);
  }
  if (typeof document !== "object") throw new PagehandError("unsupported-environment", "there is no document here: page tools run in a page");
  const glue = await pageFile.load();
  watchPasswords();
  const runs = new PageRuns(glue, options);
  try {
    runs.page();
  } catch (cause) {
    throw new PagehandError("invalid-options", messageOf(cause), { cause });
  }
  const entries = Object.entries(pageToolSpecs) as [PageToolName, PageToolSpec][];
  return Object.freeze(entries.map(([name, spec]) => make(runs, name, spec, options.approve)));
}

function make(runs: PageRuns, name: PageToolName, spec: PageToolSpec, approve: PageToolsOptions["approve"]): Tool {
  const made = tool<JsonSchema, JsonSchema>({
    name,
    description: spec.description,
    // Who is asked about a click wants to read what would be clicked, and not its ref.
    action: (input) => {
      const { ref } = input as { ref?: unknown };
      const element = typeof ref === "string" ? runs.page().inWords(ref) : undefined;
      return element === undefined ? spec.action : `${spec.action}: ${element}`;
    },
    input: spec.input,
    output: spec.output,
    annotations: spec.annotations,
    approve: spec.annotations.destructive ? approve : undefined,
    lane: spec.annotations.readOnly ? undefined : LANE,
    execute: (input, context) => runs.run(name, input as object, context.signal, context.after),
  });
  return made as Tool;
}
