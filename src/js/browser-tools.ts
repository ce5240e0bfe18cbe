/**
 * Tools for what a browser offers under permission: location, clipboard, files, camera, notifications, sharing, the
 * screen, the locale. Importing this does nothing; what the tools do is loaded by the first call. A function that
 * the browser lacks has no tool, and outside a page there are none.
 */
import { DECLARATIONS } from "./browser-tools/declarations.js";
import { type BrowserToolName, type MissingBrowserTool, NAMES, missing } from "./browser-tools/detect.js";
import type { BrowserLimits, Environment } from "./browser-tools/environment.js";
import { type PartialBrowserTexts, wordsWith } from "./browser-tools/texts.js";
import { PagehandError, messageOf } from "./errors.js";
import { type Tool, type ToolContext, type ToolFields, tool } from "./tool.js";

export type { BrowserToolName, MissingBrowserTool } from "./browser-tools/detect.js";
export type { BrowserLimits } from "./browser-tools/environment.js";
export type { BrowserTexts, PartialBrowserTexts } from "./browser-tools/texts.js";
export type { BrowserToolError, TroubleReason } from "./browser-tools/trouble.js";

/** Whether a person must agree before a call runs, as a tool says it by `approve`. */
export type Approval = ToolFields<never>["approve"];

/** Which tools, and how they behave. */
export interface BrowserToolsOptions {
  /** These alone. */
  readonly only?: readonly BrowserToolName[] | undefined;
  /** All but these. */
  readonly except?: readonly BrowserToolName[] | undefined;
  /** Other words, for other languages. */
  readonly texts?: PartialBrowserTexts | undefined;
  /**
   * Whether a person must agree first, by tool.
   * @defaultValue `"always"` for `get_location`, `read_clipboard`, `pick_files` and `take_photo`, else `"never"`
   */
  readonly approve?: { readonly [Name in BrowserToolName]?: Approval } | undefined;
  /** Caps of what is read, and of waiting. */
  readonly limits?: { readonly [Key in keyof BrowserLimits]?: number | undefined } | undefined;
}

type Execute = (environment: Environment, input: never, context: ToolContext) => unknown;

const LIMITS: BrowserLimits = { textBytes: 100_000, files: 20, imageEdge: 1_600, imageBytes: 2_500_000, wait: 300_000 };

/**
 * The tools that this browser can serve. Throws `invalid-options` over a name that is none, a limit that is no number
 * above 0, and an option that does not exist.
 */
export function browserTools(options: BrowserToolsOptions = {}): Tool[] {
  const { texts, approve, limits } = lookedOver(options);
  const environment: Environment = {
    texts: wordsWith(texts),
    limits: { ...LIMITS, ...(Object.fromEntries(Object.entries(limits ?? {}).filter(([, value]) => value !== undefined)) as Partial<BrowserLimits>) },
    declined: (message) => new PagehandError("declined", message),
  };
  return chosen(options)
    .filter((name) => !missing(name))
    .map((name) => {
      const { description, action, annotations, consent, busy, input, output } = DECLARATIONS[name];
      return tool({
        name,
        description,
        action: environment.texts[action],
        annotations,
        input,
        output,
        approve: (approve?.[name] ?? (consent ? "always" : "never")) as "always",
        ...(busy && { lane: "browser-tools" }),
        execute: async (given, context) => {
          const run = await implementations();
          if (context.signal.aborted) throw new PagehandError("cancelled", "the call was called off");
          return (run[name] as Execute)(environment, given as never, context as ToolContext);
        },
      }) as Tool;
    });
}

/** The tools that were asked for and are not there, each with the reason. Takes what {@link browserTools} takes. */
export function missingBrowserTools(options: Pick<BrowserToolsOptions, "only" | "except"> = {}): MissingBrowserTool[] {
  lookedOver(options);
  return chosen(options).flatMap((name) => missing(name) ?? []);
}

async function implementations(): Promise<typeof import("./browser-tools/run.js")> {
  try {
    return await import("./browser-tools/run.js");
  } catch (cause) {
    throw new Error(`what the browser tools do could not be loaded: ${messageOf(cause)}; try again later`, { cause });
  }
}

function chosen({ only = NAMES, except = [] }: Pick<BrowserToolsOptions, "only" | "except">): BrowserToolName[] {
  return NAMES.filter((name) => only.includes(name) && !except.includes(name));
}

function lookedOver(options: BrowserToolsOptions): BrowserToolsOptions {
  const wrong = (what: string): never => {
    throw new PagehandError("invalid-options", what);
  };
  if (typeof options !== "object" || options === null) return wrong("the options of browserTools must be an object");
  const odd = Object.keys(options).find((key) => !["only", "except", "texts", "approve", "limits"].includes(key));
  if (odd !== undefined) wrong(`${odd} is no option of browserTools`);
  for (const key of ["only", "except"] as const) if (options[key] !== undefined && !Array.isArray(options[key])) wrong(`${key} must be a list of tool names`);
  const names: string[] = [...(options.only ?? []), ...(options.except ?? []), ...Object.keys(options.approve ?? {})];
  const unknown = names.find((name) => !(NAMES as readonly string[]).includes(name));
  if (unknown !== undefined) wrong(`there is no browser tool "${String(unknown).slice(0, 80)}": there are ${NAMES.join(", ")}`);
  for (const [key, value] of Object.entries(options.limits ?? {})) {
    if (!(key in LIMITS)) wrong(`limits.${key} is no limit: there are ${Object.keys(LIMITS).join(", ")}`);
    if (value !== undefined && !(Number.isFinite(value) && value > 0)) wrong(`limits.${key} must be a number above 0`);
  }
  return options;
}
