/**
 * The tools of one runtime. The same tool may be registered by several owners and stays until the last
 * one lets go; another tool of the same name is refused while it is there.
 */
import { type Direction, type SchemaComplaint, checksOf } from "./checks.js";
import { PagehandError, messageOf } from "./errors.js";
import { checkerFile } from "./files.js";
import { plainText } from "./plain.js";
import type { ToolSpec } from "./life.js";
import type { Tool } from "./tool.js";

interface Entry {
  tool: Tool;
  owners: number;
}

/** The tools of one runtime. @internal */
export class Registry {
  readonly #entries = new Map<string, Entry>();

  get(name: string): Tool | undefined {
    return this.#entries.get(name)?.tool;
  }

  tools(): Tool[] {
    return [...this.#entries.values()].map((entry) => entry.tool);
  }

  /**
   * Adds an owner. `added` runs if the tool is new here, `removed` when its last owner lets go.
   * Gives the function that lets go.
   */
  hold(tool: Tool, added: () => void, removed: () => void): () => void {
    const known = this.#entries.get(tool.name);
    if (known && known.tool !== tool) {
      throw new PagehandError("duplicate-tool", `another tool named "${tool.name}" is registered`);
    }
    const entry = known ?? { tool, owners: 0 };
    if (!known) {
      // Known here before the machine knows: a call that waited for the tool runs at once.
      this.#entries.set(tool.name, entry);
      try {
        added();
      } catch (error) {
        this.#entries.delete(tool.name);
        throw error;
      }
    }
    entry.owners += 1;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      entry.owners -= 1;
      if (entry.owners > 0 || this.#entries.get(tool.name) !== entry) return;
      this.#entries.delete(tool.name);
      removed();
    };
  }

  clear(): void {
    this.#entries.clear();
  }
}

/** What the machine is told of a tool: schemas as JSON text. @internal */
export function specOf(tool: Tool, policed: boolean): ToolSpec {
  const checks = checksOf(tool);
  const { name, description, version, mode, annotations, onInvalid, approve, timeout, lane, encoding } = tool;
  const schema = (direction: Direction) => {
    const declared = checks.declared(direction);
    return declared === undefined ? undefined : plainText(declared);
  };
  try {
    return {
      name,
      description,
      version,
      input: schema("input"),
      output: schema("output"),
      checksInput: checks.has("input"),
      checksOutput: checks.has("output"),
      onInvalid: typeof onInvalid === "function" ? "repair" : onInvalid,
      mode,
      // With a policy any call may be asked about.
      asksConsent: policed || !["never", false, undefined].includes((approve ?? annotations?.destructive) as string),
      readOnly: annotations?.readOnly === true,
      idempotent: annotations?.idempotent === true,
      timeout,
      lane,
      encoding,
    };
  } catch (error) {
    throw new PagehandError("invalid-tool", `tool "${name}" cannot be declared: ${messageOf(error)}`, { cause: error });
  }
}

/** Fetches what most of these tools are checked by, if any is: beside the rest, or it would cost trips of its own. @internal */
export async function fetchChecker(tools: readonly Tool[] = []): Promise<void> {
  const checked = tools.map(checksOf).some((checks) => (checks.jsonSchema("input") ?? checks.jsonSchema("output")) !== undefined);
  if (checked) await Promise.all([checkerFile.load(), import("./compiled.js")]);
}

/** Gets a tool's validators ready when the page has nothing better to do. @internal */
export function prepareAtIdle(tool: Tool, complain: (complaint: SchemaComplaint) => void): void {
  const checks = checksOf(tool);
  const begin = () => {
    import("./prepare.js")
      .then(({ prepare }) => prepare(checks))
      .then((complaints) => complaints.forEach(complain))
      // What is not ready is made ready by the first call that needs it.
      .catch(() => undefined);
  };
  if (typeof requestIdleCallback === "function") requestIdleCallback(begin);
  else queueMicrotask(begin);
}
