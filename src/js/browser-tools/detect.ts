/**
 * Which of the browser tools this browser can serve. Looks for the functions alone: it asks nobody for anything,
 * changes nothing and never throws, in a worker and outside a browser neither.
 */

/** The names of the tools. */
export type BrowserToolName =
  | "get_location"
  | "read_clipboard"
  | "write_clipboard"
  | "pick_files"
  | "take_photo"
  | "show_notification"
  | "share"
  | "keep_screen_awake"
  | "let_screen_sleep"
  | "get_screen"
  | "get_locale";

/** A tool that is not in the list, and why. */
export interface MissingBrowserTool {
  readonly name: BrowserToolName;
  /** There is no page here, the page is not a secure context (HTTPS), or the browser lacks the function. */
  readonly reason: "no-page" | "insecure-context" | "unsupported";
  /** The same in words, with what would help. */
  readonly message: string;
}

type Needs = readonly [what: string, secure: boolean, has: () => unknown];

const wakeLock: Needs = ["navigator.wakeLock.request", true, () => typeof navigator.wakeLock?.request === "function"];

const NEEDS: Readonly<Record<BrowserToolName, Needs>> = {
  get_location: ["navigator.geolocation", true, () => typeof navigator.geolocation?.getCurrentPosition === "function"],
  read_clipboard: ["navigator.clipboard.readText", true, () => typeof (navigator.clipboard?.readText ?? navigator.clipboard?.read) === "function"],
  write_clipboard: ["navigator.clipboard.writeText", true, () => typeof navigator.clipboard?.writeText === "function"],
  pick_files: ["a file input", false, () => typeof HTMLInputElement === "function" && typeof FileList === "function"],
  take_photo: ["navigator.mediaDevices.getUserMedia", true, () => typeof navigator.mediaDevices?.getUserMedia === "function" && typeof HTMLDialogElement === "function"],
  show_notification: ["Notification", true, () => typeof Notification === "function"],
  share: ["navigator.share", true, () => typeof navigator.share === "function"],
  keep_screen_awake: wakeLock,
  let_screen_sleep: wakeLock,
  get_screen: ["window.screen", false, () => typeof screen === "object" && typeof matchMedia === "function"],
  get_locale: ["Intl", false, () => typeof Intl === "object"],
};

/** Every tool's name. */
export const NAMES = Object.keys(NEEDS) as readonly BrowserToolName[];

/** Why a tool cannot be served here; nothing if it can. */
export function missing(name: BrowserToolName): MissingBrowserTool | undefined {
  const [what, secure, has] = NEEDS[name];
  if (typeof document === "undefined" || typeof navigator === "undefined") return { name, reason: "no-page", message: "there is no page here: browser tools work in a document alone" };
  if (secure && globalThis.isSecureContext === false) return { name, reason: "insecure-context", message: `${what} needs a secure context: serve the page over HTTPS, or from localhost` };
  try {
    if (has()) return undefined;
  } catch {
    // What throws when it is looked at is not there.
  }
  return { name, reason: "unsupported", message: `this browser has no ${what}` };
}
