/**
 * Tells built-in kinds of objects apart, right for objects of other realms too where the platform allows.
 */

/** What is taken for media. Arrays of numbers wider than a byte are data, not media. */
export type MediaSource = Blob | ArrayBuffer | Uint8Array | Uint8ClampedArray | DataView | ImageData;

const BYTES = "application/octet-stream";
const BYTE_KINDS = ["ArrayBuffer", "Uint8Array", "Uint8ClampedArray", "DataView"];

/** Whether a value is media. Works for values of another realm where the platform allows. */
export function isMedia(value: object): value is MediaSource {
  return isBlob(value) || isImageData(value) || BYTE_KINDS.includes(kindOf(value));
}

/** The media type, as far as the value tells. */
export function mediaType(value: MediaSource): string {
  if (isBlob(value)) return value.type || BYTES;
  return isImageData(value) ? "image/png" : BYTES;
}

function isBlob(value: object): value is Blob {
  return ["Blob", "File"].includes(kindOf(value)) && typeof (value as { arrayBuffer?: unknown }).arrayBuffer === "function";
}

function isImageData(value: object): value is ImageData {
  return kindOf(value) === "ImageData";
}

/** The built-in kind of an object: `Map`, `Error`, …; right for objects of other realms too. */
export function kindOf(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}
