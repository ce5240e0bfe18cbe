/**
 * The clipboard: what the person has copied, and a text that is put there for them.
 */
import type { ToolContext } from "../tool.js";
import { gestureWanted, inGesture, refusedForGesture } from "./click.js";
import { type Environment, NOTICE } from "./environment.js";
import { fitted } from "./image.js";
import { type Leave, type Permission, refusal, requireLeave } from "./permission.js";
import { clipped } from "./text.js";
import { BrowserToolError, nameOf, unforeseen } from "./trouble.js";
import { calledOff, noAnswer, within } from "./within.js";

const READ: Leave = { what: "reading the clipboard", permission: "clipboard-read", policy: "clipboard-read" };
const WRITE: Leave = { what: "writing to the clipboard", permission: "clipboard-write", policy: "clipboard-write" };

/** What was copied: a text, or else an image. */
export interface ClipboardContents {
  notice: string;
  empty: boolean;
  text?: string | undefined;
  truncated?: boolean | undefined;
  image?: Blob | undefined;
}

/** Reads it. */
export async function readClipboard(environment: Environment, input: { reason?: string | undefined }, context: ToolContext): Promise<ClipboardContents> {
  const { texts, limits } = environment;
  const before = await requireLeave(READ);
  const read = attempt(environment, READ, before, contents);
  const shows = [texts.noteLabel, texts.browserAsks] as const;
  const { text, image } = before === "granted" && document.hasFocus() ? await read(context.signal) : await inGesture(environment, context, { title: texts.readTitle, message: input.reason, submitLabel: texts.readButton, shows }, read);
  if (text !== undefined && text !== "") {
    const { text: kept, truncated } = clipped(text, limits.textBytes);
    return { notice: NOTICE, empty: false, text: kept, truncated };
  }
  if (image) return { notice: NOTICE, empty: false, image: await within(fitted(image, limits.imageEdge, limits.imageBytes), limits.wait, context.signal, () => noAnswer(READ.what)) };
  return { notice: NOTICE, empty: true };
}

/** Writes a text. */
export async function writeClipboard(environment: Environment, { text }: { text: string }, context: ToolContext): Promise<{ written: true; characters: number }> {
  const { texts } = environment;
  const before = await requireLeave(WRITE);
  const write = attempt(environment, WRITE, before, () => navigator.clipboard.writeText(text));
  const request = { title: texts.writeTitle, submitLabel: texts.writeButton, shows: [texts.textLabel, text] as const };
  await (before === "granted" && document.hasFocus() ? write(context.signal) : inGesture(environment, context, request, write));
  return { written: true, characters: text.length };
}

/** An action on the clipboard with its ends. What it begins, it begins at once. */
function attempt<T>(environment: Environment, leave: Leave, before: Permission, run: () => Promise<T>): (signal: AbortSignal) => Promise<T> {
  return async (signal) => {
    // Chromium waits for its question without a word of whether anybody saw it.
    const wait = before === "granted" ? 10_000 : environment.limits.wait;
    try {
      return await within(run(), wait, signal, () => noAnswer(leave.what));
    } catch (thrown) {
      if (signal.aborted) throw calledOff();
      if (thrown instanceof BrowserToolError) throw thrown;
      if (!document.hasFocus()) throw new BrowserToolError("hidden", `${leave.what} works in the page that the user is looking at alone: ask them to click into this page, then try again`, { cause: thrown });
      if (refusedForGesture(thrown)) throw gestureWanted(thrown);
      if (/^(NotAllowed|Security)Error$/.test(nameOf(thrown))) throw await refusal(environment, leave, before, thrown);
      throw unforeseen(leave.what, thrown);
    }
  };
}

/** Text where there is some, else an image; some browsers read text alone. */
async function contents(): Promise<{ text?: string; image?: Blob }> {
  const { clipboard } = navigator;
  if (typeof clipboard.read !== "function") return { text: await clipboard.readText() };
  let image: Blob | undefined;
  for (const item of await clipboard.read()) {
    if (item.types.includes("text/plain")) {
      const text = await (await item.getType("text/plain")).text();
      if (text !== "") return { text };
    }
    const type = item.types.find((one) => one.startsWith("image/") && one !== "image/svg+xml");
    if (type !== undefined) image ??= await item.getType(type);
  }
  return image ? { image } : {};
}
