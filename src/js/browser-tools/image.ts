/**
 * Images that a model can look at: no larger than it needs, and small enough to be sent.
 */
import { BrowserToolError } from "./trouble.js";

/** What models take as they are. */
const PLAIN = /^image\/(png|jpeg|webp|gif)$/;

/** An image as it is where it is small enough, else a smaller one as JPEG. Rejects over what cannot be drawn. */
export async function fitted(image: Blob, edge: number, bytes: number): Promise<Blob> {
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(image);
  } catch (cause) {
    throw new BrowserToolError("invalid", `the image (${image.type || "of unknown type"}) cannot be read by this browser`, { cause });
  }
  try {
    if (PLAIN.test(image.type) && image.size <= bytes && Math.max(bitmap.width, bitmap.height) <= edge) return image;
    return (await drawn(bitmap, bitmap.width, bitmap.height, edge, bytes)).image;
  } finally {
    bitmap.close();
  }
}

/** An image and its size in pixels. */
export interface Drawn {
  readonly image: Blob;
  readonly width: number;
  readonly height: number;
}

/** Draws something as JPEG, at most `edge` pixels wide and high and at most so many bytes. */
export async function drawn(source: CanvasImageSource, width: number, height: number, edge: number, bytes: number): Promise<Drawn> {
  let largest = Math.min(edge, Math.max(width, height));
  for (let tries = 0; tries < 6; tries += 1) {
    const scale = largest / Math.max(width, height, 1);
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    const context = canvas.getContext("2d");
    if (!context) throw new BrowserToolError("unsupported", "this browser has no canvas to draw the image with");
    // JPEG knows no transparency; without this it would be black.
    context.fillStyle = "#ffffff";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(source, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.85));
    if (!blob) throw new BrowserToolError("system", "the browser could not make an image of it");
    if (blob.size <= bytes) return { image: blob, width: canvas.width, height: canvas.height };
    largest = Math.floor(largest * 0.7);
  }
  throw new BrowserToolError("invalid", "the image could not be made small enough to be sent");
}
