/**
 * Tells the model that a person changed a call's arguments, in the result of that very call: as a text resource
 * beside the value. The value itself stays what it is, so a declared output schema still fits it.
 */
import type { Given } from "../given.js";
import type { HandlerEnd } from "../host.js";
import type { Tool } from "../tool.js";

/** The end of a run with the note, where there is room for one. */
export async function noteEdit(given: Given, tool: Tool, text: string, value: unknown, end: HandlerEnd): Promise<HandlerEnd> {
  // A silent tool's result is not read, and a plain one has no room.
  if (tool.mode === "silent" || tool.encoding === "plain") return end;
  const { json, media = "[]" } = typeof end === "string" ? { json: end, media: undefined } : "json" in end ? end : { json: "" };
  if (json === "") return end;
  // With something beside the value the machine does not check it; one that does not fit goes as it is, to be refused.
  const verdict = await given.checksOf(tool).check("output", typeof value === "string" ? value : json, "exact");
  if (!("ok" in verdict)) return end;
  const note = { type: "resource", resource: { uri: "page://edited-arguments", mimeType: "text/plain", text: `The user changed the arguments before this ran. It ran with: ${text}` } };
  return { json, media: JSON.stringify([note, ...(JSON.parse(media) as unknown[])]) };
}
