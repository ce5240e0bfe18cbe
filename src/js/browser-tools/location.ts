/**
 * Where the device is, by the browser's geolocation.
 */
import type { ToolContext } from "../tool.js";
import { inGesture } from "./click.js";
import type { Environment } from "./environment.js";
import { type Leave, type Permission, refusal, requireLeave } from "./permission.js";
import { BrowserToolError, unforeseen } from "./trouble.js";
import { noAnswer, within } from "./within.js";

const LEAVE: Leave = { what: "the location", permission: "geolocation", policy: "geolocation" };

/** What may be asked for. */
export interface LocationInput {
  highAccuracy?: boolean | undefined;
  maximumAgeSeconds?: number | undefined;
  timeoutSeconds?: number | undefined;
}

/** A place, in degrees and metres. What the device does not know is left out. */
export interface Location {
  latitude: number;
  longitude: number;
  accuracyMetres: number;
  altitudeMetres?: number | undefined;
  headingDegrees?: number | undefined;
  speedMetresPerSecond?: number | undefined;
  measuredAt: string;
}

/** How long the browser's own question may stand before this page's stands beside it, in milliseconds. */
const BESIDE = 1_500;

/** Finds the place. */
export async function getLocation(environment: Environment, { highAccuracy = false, maximumAgeSeconds = 60, timeoutSeconds = 20 }: LocationInput, context: ToolContext): Promise<Location> {
  const { texts } = environment;
  const before = await requireLeave(LEAVE);
  const options = { enableHighAccuracy: highAccuracy, maximumAge: maximumAgeSeconds * 1_000, timeout: timeoutSeconds * 1_000 };
  const find = (signal: AbortSignal): Promise<Location> => found(environment, before, options, signal);
  if (before === "granted") return find(context.signal);
  // No gesture is wanted; but browsers' questions are easily overlooked, and the clock must stand still meanwhile.
  const shows = [texts.noteLabel, texts.browserAsks] as const;
  return inGesture(environment, context, { title: texts.locationTitle, submitLabel: texts.locationButton, shows, free: true, soon: BESIDE }, find);
}

async function found(environment: Environment, before: Permission, options: Required<PositionOptions>, signal: AbortSignal): Promise<Location> {
  const position = new Promise<GeolocationPosition>((resolve, reject) => navigator.geolocation.getCurrentPosition(resolve, reject, options));
  // The browser's own time begins once the user has allowed it. Some browsers never call back where they do not.
  const wait = options.timeout + (before === "granted" ? 1_000 : environment.limits.wait);
  const late = (): Error => (before === "granted" ? tooLong(options.timeout) : noAnswer(LEAVE.what));
  try {
    return placeOf(await within(position, wait, signal, late));
  } catch (thrown) {
    if (thrown instanceof BrowserToolError || signal.aborted) throw thrown;
    switch ((thrown as Partial<GeolocationPositionError> | null)?.code) {
      case 1:
        throw await refusal(environment, LEAVE, before, thrown);
      case 2:
        throw new BrowserToolError("unavailable", "the device could not find out where it is: the user can look whether its location service is switched on; else ask them where they are", { cause: thrown });
      case 3:
        throw tooLong(options.timeout);
      default:
        throw unforeseen("finding the location", thrown);
    }
  }
}

function tooLong(milliseconds: number): Error {
  return new BrowserToolError("timeout", `the device did not find out where it is within ${milliseconds / 1_000} s: try again with a longer timeoutSeconds, with highAccuracy false, or with a larger maximumAgeSeconds`);
}

function placeOf({ coords, timestamp }: GeolocationPosition): Location {
  const known = (value: number | null): number | undefined => (value === null || !Number.isFinite(value) ? undefined : value);
  return {
    latitude: coords.latitude,
    longitude: coords.longitude,
    accuracyMetres: coords.accuracy,
    altitudeMetres: known(coords.altitude),
    headingDegrees: known(coords.heading),
    speedMetresPerSecond: known(coords.speed),
    measuredAt: new Date(timestamp).toISOString(),
  };
}
