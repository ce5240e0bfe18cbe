/**
 * Keeps the screen on. Browsers let go whenever the page is hidden: the wish is kept, and the lock taken again when
 * the page is seen again, until it is called off, its time is over, or the page goes.
 */
import type { ToolContext } from "../tool.js";
import type { Environment } from "./environment.js";
import { type Leave, refusal, requireLeave } from "./permission.js";
import { BrowserToolError, nameOf, unforeseen } from "./trouble.js";
import { calledOff, within } from "./within.js";

const LEAVE: Leave = { what: "keeping the screen on", permission: "screen-wake-lock", policy: "screen-wake-lock" };

/** How long a browser may take, in milliseconds. */
const TAKE = 5_000;

/** Whether the screen is kept on now, and until when that is wished. */
export interface Awake {
  awake: boolean;
  /** With `awake: false`: it will be, as soon as the page is seen again. */
  waiting: boolean;
  until?: string | undefined;
}

/** The wish of this page: there is one screen, so there is one. */
let wish: { sentinel: WakeLockSentinel | undefined; readonly until: number | undefined; over(): void } | undefined;

/** Keeps it on; a second time, with the new span. */
export async function keepScreenAwake(environment: Environment, { minutes }: { minutes?: number | undefined }, { signal }: ToolContext): Promise<Awake> {
  const before = await requireLeave(LEAVE);
  let sentinel: WakeLockSentinel | undefined;
  if (document.visibilityState === "visible") {
    const taking = navigator.wakeLock.request("screen");
    let late = false;
    taking.then((came) => (late ? void came.release() : undefined), () => undefined);
    try {
      sentinel = await within(taking, TAKE, signal, () => new BrowserToolError("timeout", "the browser did not answer whether it keeps the screen on: try again"));
    } catch (thrown) {
      late = true;
      if (signal.aborted) throw calledOff();
      if (thrown instanceof BrowserToolError) throw thrown;
      // Hidden in that very moment is as good as hidden before.
      if (nameOf(thrown) !== "NotAllowedError") throw unforeseen(LEAVE.what, thrown);
      if (document.visibilityState === "visible") {
        if (before === "granted") throw new BrowserToolError("system", "the system does not keep the screen on now: its battery may be low or saved. The user can plug the device in or switch battery saving off, then try again", { cause: thrown });
        throw await refusal(environment, LEAVE, before, thrown);
      }
    }
  }
  wish?.over();
  const until = minutes === undefined ? undefined : Date.now() + minutes * 60_000;
  const timer = until === undefined ? undefined : setTimeout(() => mine.over(), until - Date.now());
  const seen = async (): Promise<void> => {
    if (document.visibilityState !== "visible" || (mine.sentinel && !mine.sentinel.released)) return;
    const came = await navigator.wakeLock.request("screen").catch(() => undefined);
    if (wish !== mine || (mine.sentinel && !mine.sentinel.released)) await came?.release();
    else mine.sentinel = came;
  };
  const heard = (): void => void seen();
  const mine = {
    sentinel,
    until,
    over: (): void => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", heard);
      mine.sentinel?.release().catch(() => undefined);
      if (wish === mine) wish = undefined;
    },
  };
  wish = mine;
  document.addEventListener("visibilitychange", heard);
  return state();
}

/** Lets it go dark again. */
export function letScreenSleep(): Awake {
  wish?.over();
  return state();
}

function state(): Awake {
  const awake = wish?.sentinel !== undefined && !wish.sentinel.released;
  return { awake, waiting: wish !== undefined && !awake, ...(wish?.until !== undefined && { until: new Date(wish.until).toISOString() }) };
}
