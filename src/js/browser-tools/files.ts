/**
 * Files that a person chooses: names, kinds and sizes of all, contents of texts and images within caps.
 */
import type { ToolContext } from "../tool.js";
import { gestureWanted, inGesture } from "./click.js";
import { type Environment, NOTICE } from "./environment.js";
import { fitted } from "./image.js";
import { decoded } from "./text.js";
import { BrowserToolError, nameOf, unforeseen, wordsOf } from "./trouble.js";
import { calledOff, within } from "./within.js";

/** What may be asked for. */
export interface FilesInput {
  accept?: readonly string[] | undefined;
  multiple?: boolean | undefined;
  reason?: string | undefined;
}

/** One file. */
export interface PickedFile {
  name: string;
  type: string;
  bytes: number;
  modifiedAt?: string | undefined;
  text?: string | undefined;
  truncated?: boolean | undefined;
  image?: Blob | undefined;
  /** Why its contents are not here. */
  omitted?: string | undefined;
}

/** Asks for files and reads them. */
export async function pickFiles(environment: Environment, { accept = [], multiple = false, reason }: FilesInput, context: ToolContext): Promise<{ notice: string; files: PickedFile[] }> {
  const { texts, limits } = environment;
  const shows = [texts.kindsLabel, accept.join(", ") || texts.anyKind] as const;
  const request = { title: texts.filesTitle, message: reason, submitLabel: texts.filesButton, shows };
  const chosen = await inGesture(environment, context, request, (signal) => choose(environment, accept.join(","), multiple, signal));
  return { notice: NOTICE, files: await within(read(chosen, environment), limits.wait, context.signal, () => new BrowserToolError("timeout", "the files could not be read in time: ask the user for fewer or smaller ones")) };
}

/** Inputs whose chooser is open: without anybody who holds them, some browsers drop them together with the choice. */
const waiting = new Set<HTMLInputElement>();

/** Opens the browser's chooser, at once. */
async function choose(environment: Environment, accept: string, multiple: boolean, signal: AbortSignal): Promise<File[]> {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = accept;
  input.multiple = multiple;
  const chosen = new Promise<File[]>((resolve, reject) => {
    input.addEventListener("change", () => resolve([...(input.files ?? [])]));
    input.addEventListener("cancel", () => reject(environment.declined("the user closed the file chooser without choosing a file")));
    signal.addEventListener("abort", () => reject(calledOff()), { once: true });
  });
  chosen.catch(() => undefined);
  waiting.add(input);
  try {
    try {
      if (typeof input.showPicker === "function") input.showPicker();
      else input.click();
    } catch (thrown) {
      if (nameOf(thrown) === "NotAllowedError") throw gestureWanted(thrown);
      // A frame of another origin may not call the one; the other it may.
      if (nameOf(thrown) !== "SecurityError") throw unforeseen("opening the file chooser", thrown);
      input.click();
    }
    return await chosen;
  } finally {
    waiting.delete(input);
  }
}

/** Reads files one after another, until the caps are reached. */
async function read(files: readonly File[], { limits }: Environment): Promise<PickedFile[]> {
  const left = { files: limits.files, text: limits.textBytes * 4, image: limits.imageBytes };
  const all: PickedFile[] = [];
  for (const file of files) {
    const { name, type, size, lastModified } = file;
    const told = { name, type: type || "unknown", bytes: size, ...(Number.isFinite(lastModified) && { modifiedAt: new Date(lastModified).toISOString() }) };
    left.files -= 1;
    all.push({ ...told, ...(left.files < 0 ? { omitted: `contents of the first ${limits.files} files alone are read` } : await contentsOf(file, limits, left)) });
  }
  return all;
}

async function contentsOf(file: File, limits: Environment["limits"], left: { text: number; image: number }): Promise<Pick<PickedFile, "text" | "truncated" | "image" | "omitted">> {
  try {
    if (file.type.startsWith("image/") && file.type !== "image/svg+xml") {
      if (left.image <= 0) return { omitted: "there is no room for further images: ask for them one by one" };
      const image = await fitted(file, limits.imageEdge, left.image);
      left.image -= image.size;
      return { image };
    }
    const room = Math.min(limits.textBytes, left.text);
    if (room <= 0) return { omitted: "there is no room for further texts: ask for the files one by one" };
    const truncated = file.size > room;
    const text = decoded(new Uint8Array(await file.slice(0, room).arrayBuffer()), truncated);
    if (text === undefined) return { omitted: "it is neither text in UTF-8 nor an image" };
    left.text -= Math.min(file.size, room);
    return { text, truncated };
  } catch (thrown) {
    return { omitted: `it could not be read: ${wordsOf(thrown).slice(0, 200)}` };
  }
}
