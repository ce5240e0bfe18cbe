/**
 * One photo by the camera. Whatever comes of it, the camera is off when this has ended.
 */
import type { ToolContext } from "../tool.js";
import { takeInView } from "./camera-view.js";
import { gestureWanted, inGesture, refusedForGesture } from "./click.js";
import { type Environment, NOTICE } from "./environment.js";
import { type Leave, type Permission, refusal, requireLeave } from "./permission.js";
import { BrowserToolError, nameOf, unforeseen } from "./trouble.js";
import { calledOff, noAnswer, within } from "./within.js";

const LEAVE: Leave = { what: "the camera", permission: "camera", policy: "camera" };

/** What may be asked for. */
export interface PhotoInput {
  facing?: "user" | "environment" | undefined;
  reason?: string | undefined;
}

/** A photo. */
export interface Photo {
  notice: string;
  photo: Blob;
  width: number;
  height: number;
}

/** Takes it. */
export async function takePhoto(environment: Environment, { facing, reason }: PhotoInput, context: ToolContext): Promise<Photo> {
  const { texts } = environment;
  const before = await requireLeave(LEAVE);
  const request = { title: texts.photoTitle, message: reason, submitLabel: texts.photoButton, shows: [texts.noteLabel, texts.browserAsks] as const, free: before === "granted", soon: 0 };
  const { image, width, height } = await inGesture(environment, context, request, async (signal) => {
    const stream = await opened(environment, before, facing, signal);
    try {
      // The device may have chosen another one than was asked for.
      const { facingMode = facing } = stream.getVideoTracks()[0]?.getSettings() ?? {};
      return await takeInView(environment, stream, reason, facingMode !== "environment", signal);
    } finally {
      stop(stream);
    }
  });
  return { notice: NOTICE, photo: image, width, height };
}

/** Turns the camera on. One that comes when nobody waits any more is turned off at once. */
async function opened(environment: Environment, before: Permission, facing: PhotoInput["facing"], signal: AbortSignal): Promise<MediaStream> {
  const video = { width: { ideal: environment.limits.imageEdge }, ...(facing && { facingMode: { ideal: facing } }) };
  let wanted = true;
  try {
    const asked = navigator.mediaDevices.getUserMedia({ video, audio: false });
    asked.then((stream) => (wanted && !signal.aborted) || stop(stream), () => undefined);
    return await within(asked, environment.limits.wait, signal, () => noAnswer(LEAVE.what));
  } catch (thrown) {
    wanted = false;
    if (signal.aborted) throw calledOff();
    if (thrown instanceof BrowserToolError) throw thrown;
    throw await troubleOf(environment, before, thrown);
  }
}

async function troubleOf(environment: Environment, before: Permission, thrown: unknown): Promise<Error> {
  if (refusedForGesture(thrown)) return gestureWanted(thrown);
  switch (nameOf(thrown)) {
    case "NotAllowedError":
    case "PermissionDeniedError":
    case "SecurityError":
      return refusal(environment, LEAVE, before, thrown);
    case "NotFoundError":
    case "OverconstrainedError":
      return new BrowserToolError("no-device", "there is no camera on this device, or none that is plugged in: ask the user for a file instead", { cause: thrown });
    case "NotReadableError":
    case "AbortError":
      return new BrowserToolError("busy", "the camera could not be started; another program may be using it: the user can close that program, then try again", { cause: thrown });
    default:
      return unforeseen("starting the camera", thrown);
  }
}

function stop(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}
