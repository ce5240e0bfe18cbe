/**
 * Tells built-in kinds of objects apart, right for objects of other realms too where the platform allows.
 */

/** What is taken for media. Arrays of numbers wider than a byte are data, not media. */
export type MediaSource = Blob | ArrayBufferLike | Uint8Array | Uint8ClampedArray | DataView | ImageData;

const MEDIA = /^(Blob|File|ImageData|(Shared)?ArrayBuffer|Uint8(Clamped)?Array|DataView)$/;

/** Whether a value is media. */
export function isMedia(value: object): value is MediaSource {
  return MEDIA.test(kindOf(value));
}

/** The media type, as far as the value tells. */
export function mediaType(value: MediaSource): string {
  return (value as Blob).type || (kindOf(value) === "ImageData" ? "image/png" : "application/octet-stream");
}

/** The built-in kind of an object: `Map`, `Error`, …; right for objects of other realms too. */
export function kindOf(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}
