/**
 * The browser's side of WebMCP, as far as it is used here, and where it is found. Shapes are what a browser, or a script
 * in a browser's place, may have: nothing is taken for granted that is not looked at. Never throws.
 */

/** The hints of a tool. */
export interface Hints {
  readOnlyHint?: boolean;
  consequentialHint?: boolean;
  untrustedContentHint?: boolean;
}

/** A tool as the browser is given it. */
export interface OfferedTool {
  name: string;
  title?: string;
  description: string;
  inputSchema: object;
  annotations: Hints;
  execute(input: unknown, client?: { readonly signal?: AbortSignal }): Promise<string>;
}

/** A tool as the browser lists it. Everything in it is some script's word. */
export interface ListedTool {
  readonly name?: unknown;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  readonly annotations?: unknown;
  readonly window?: unknown;
}

/** `document.modelContext`. */
export interface ModelContext {
  registerTool(tool: OfferedTool, options: { signal: AbortSignal }): unknown;
  /** Of older browsers, which know no signal. */
  unregisterTool?(name: string): unknown;
  getTools?(): unknown;
  executeTool?(tool: ListedTool, input: object, options: { signal: AbortSignal }): unknown;
  addEventListener?(type: "toolchange", listener: () => void): void;
  removeEventListener?(type: "toolchange", listener: () => void): void;
}

/** Finds it: on the document, or where older browsers had it. */
export function modelContext(): ModelContext | undefined {
  const places = globalThis as unknown as Record<string, { modelContext?: ModelContext } | undefined>;
  for (const place of ["document", "navigator"]) {
    try {
      const found = places[place]?.modelContext;
      if (typeof found?.registerTool === "function") return found;
    } catch {
      // A getter that throws has nothing for us.
    }
  }
  return undefined;
}

/** Whether there is a page at all: a server or a worker is offered nothing, and warned of nothing. */
export const isPage = (): boolean => typeof document === "object" && document !== null;

/** What is wrong where there is none. */
export const MISSING =
  "this browser has no document.modelContext, so nothing passes between its agent and this page: WebMCP needs a browser that has it, where it may have to be switched on, and a page over https (or on localhost)";

/** The name of a thrown thing, whatever it is. */
export function nameOf(thrown: unknown): unknown {
  try {
    return (thrown as { name?: unknown } | null | undefined)?.name;
  } catch {
    return undefined;
  }
}

/** What the site has to change where the browser refuses the page as a whole; nothing where that is not the matter. */
export function siteAdvice(thrown: unknown): string | undefined {
  switch (nameOf(thrown)) {
    case "SecurityError":
      return "the browser refuses WebMCP to this page because its origin is not one of its own process: send `Origin-Agent-Cluster: ?1` with the page, or at least not `?0`, and do not set document.domain";
    case "NotAllowedError":
      return 'the browser refuses WebMCP to this page by its permissions policy: send `Permissions-Policy: tools=(self)` with the page, and give a frame of another origin `allow="tools"`';
    default:
      return undefined;
  }
}
