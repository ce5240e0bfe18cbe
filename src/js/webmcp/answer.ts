/**
 * One call by the browser's agent: run as any call is, and answered by a text. The browser gets nothing else, because
 * it turns values into texts of its own, loses what was thrown, and does not survive everything. Never rejects.
 */
import { messageOf } from "../errors.js";
import type { ToolReport } from "../events.js";
import { given } from "../given.js";
import type { Runtime } from "../runtime.js";
import type { Serialised } from "../serialise.js";
import type { Tool } from "../tool.js";
import { inLane } from "./lanes.js";

/** What a model reads of a tool whose result it is not to have. */
const ACKNOWLEDGEMENT = '"done"';

/**
 * How long an answer is given to leave the page, in milliseconds, before what follows it may take the page away. The
 * browser does not say when it has it.
 */
const WAY_OUT = 100;

/** Runs it. The text is the result as JSON, or `{"error":{"code","message"}}`. */
export async function answer(runtime: Runtime, tool: Tool, input: unknown, signal: AbortSignal): Promise<string> {
  const afterwards: (() => unknown)[] = [];
  const later = (run: () => unknown) => void afterwards.push(run);
  let result: Serialised | undefined;
  const sent = (given: Serialised) => void (result = given);
  try {
    const ended = await inLane(runtime, tool.lane, signal, (before) => runtime.invoke(tool.name, input, before ? { signal, sent, later, before } : { signal, sent, later }));
    if (!ended) return failure("cancelled", "the call was called off");
    const { data, error, report } = ended;
    if (error) return failure(error.code, error.message);
    return tool.mode === "silent" ? ACKNOWLEDGEMENT : await textOf(result, data, report);
  } catch (thrown) {
    return failure("TOOL_EXEC_FAILED", messageOf(thrown));
  } finally {
    if (afterwards.length > 0) setTimeout(() => afterwards.forEach(given.guard), WAY_OUT);
  }
}

/** An error as a value, which reaches the model as it is. */
export function failure(code: string, message: string): string {
  return JSON.stringify({ error: { code, message } });
}

/** The result as JSON text. Where something stands beside it, images say, all of it is a list of content blocks. */
async function textOf(result: Serialised | undefined, data: unknown, report: ToolReport): Promise<string> {
  const { serialise } = await import("../serialise.js");
  const { json, media } = result ?? (await serialise(data, messageOf));
  const beside: unknown[] = media === undefined ? [] : (JSON.parse(media) as unknown[]);
  if (report.consent?.edited) {
    const { json: ran } = await serialise(report.input, messageOf);
    beside.unshift({ type: "text", text: `The user changed the arguments before this ran. It ran with: ${ran}` });
  }
  if (beside.length === 0) return json;
  const words = given.parseOr(json);
  return JSON.stringify({ content: [{ type: "text", text: typeof words === "string" ? words : json }, ...beside] });
}
