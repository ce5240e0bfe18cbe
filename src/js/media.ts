/**
 * Media in a handler's value: files, blobs, images and bytes become content blocks a model can look at.
 * Loaded when the first of them is met. Uses only what the environment has; what it lacks (a canvas for
 * `ImageData`) is said in words.
 */
import type { MediaSource } from "./kinds.js";

/** A content block as it travels. */
export type MediaBlock =
  | { type: "image" | "audio"; data: string; mimeType: string }
  | { type: "resource"; resource: { uri: string; mimeType: string; text?: string; blob?: string } };

/** Makes the block. `uri` names it where the block's form has a name. */
export async function mediaBlock(value: MediaSource, mimeType: string, uri: string): Promise<MediaBlock> {
  if (/^text\/|^application\/json\b/.test(mimeType) && "text" in value) {
    return { type: "resource", resource: { uri: named(value, uri), mimeType, text: await value.text() } };
  }
  const data = base64(await bytesOf(value));
  if (mimeType.startsWith("image/")) return { type: "image", data, mimeType };
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType };
  return { type: "resource", resource: { uri: named(value, uri), mimeType, blob: data } };
}

async function bytesOf(value: MediaSource): Promise<Uint8Array> {
  if ("arrayBuffer" in value) return new Uint8Array(await value.arrayBuffer());
  if ("colorSpace" in value) return new Uint8Array(await (await encode(value)).arrayBuffer());
  // What only calls itself a Blob, or is one of an environment that cannot read it.
  if (isBlob(value)) throw new Error("it cannot be read here");
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return new Uint8Array(value);
}

/** Not asked of `kinds.js`: a module shared with the first load would cost every page a download of its own. */
function isBlob(value: object): boolean {
  return /^\[object (Blob|File)\]$/.test(Object.prototype.toString.call(value));
}

async function encode(image: ImageData): Promise<Blob> {
  if (typeof OffscreenCanvas === "undefined") throw new Error("there is no canvas here to encode the image with");
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("the canvas has no 2d context");
  context.putImageData(image, 0, 0);
  return canvas.convertToBlob({ type: "image/png" });
}

function base64(bytes: Uint8Array): string {
  let text = "";
  // In pieces: the spread below makes one argument of each byte.
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(text);
}

function named(value: MediaSource, uri: string): string {
  const name = (value as { name?: unknown }).name;
  return typeof name === "string" && name !== "" ? `${uri}/${encodeURIComponent(name)}` : uri;
}
