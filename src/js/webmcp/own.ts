/**
 * What is ours, so that no tool goes round in a circle: what this page offers is not adopted, what was adopted is not
 * offered. The names offered are kept at the browser's object, where another copy of this package finds them too.
 */
import type { Tool } from "../tool.js";
import type { ListedTool, ModelContext } from "./context.js";

const KEY = Symbol.for("pagehand.webmcp.offered");

/** The names at objects that take no property. */
const aside = new WeakMap<ModelContext, Set<string>>();

const adopted = new WeakSet<Tool>();

/** The names that this page offers. */
export function offeredNames(context: ModelContext): Set<string> {
  const place = context as { [KEY]?: unknown };
  const known = place[KEY];
  if (known instanceof Set) return known as Set<string>;
  const names = aside.get(context) ?? new Set<string>();
  // A script in the browser's place may have made itself unchangeable.
  if (!Reflect.defineProperty(place, KEY, { value: names })) aside.set(context, names);
  return names;
}

/** Whether a listed tool is one that this page offers; another frame may have one of the same name. */
export function isOffered(context: ModelContext, tool: ListedTool, name: string): boolean {
  const here = tool.window === undefined || tool.window === globalThis.window;
  return here && offeredNames(context).has(name);
}

export const noteAdopted = (tool: Tool): void => void adopted.add(tool);

export const wasAdopted = (tool: Tool): boolean => adopted.has(tool);
