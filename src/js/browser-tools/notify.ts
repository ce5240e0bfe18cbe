/**
 * What leaves the page for the system: a notification, and something to share.
 */
import type { ToolContext } from "../tool.js";
import { gestureWanted, inGesture, refusedForGesture } from "./click.js";
import type { Environment } from "./environment.js";
import { type Leave, blocked, refusal, requireLeave } from "./permission.js";
import { BrowserToolError, nameOf, unforeseen } from "./trouble.js";
import { calledOff, noAnswer, within } from "./within.js";

const NOTIFY: Leave = { what: "showing notifications", permission: "notifications" };
const SHARE: Leave = { what: "sharing", policy: "web-share" };

/** How long the system may take to show one, in milliseconds. */
const SHOWN = 3_000;

/** A notification. */
export interface NotificationInput {
  title: string;
  body?: string | undefined;
  tag?: string | undefined;
}

/** Shows it, after asking the user whether it may where nobody has been asked yet. */
export async function showNotification(environment: Environment, { title, ...rest }: NotificationInput, context: ToolContext): Promise<{ shown: true }> {
  const { texts, limits } = environment;
  const before = await requireLeave(NOTIFY);
  if (Notification.permission === "denied") throw blocked(NOTIFY);
  if (Notification.permission !== "granted") {
    const request = { title: texts.notifyTitle, message: [title, rest.body].filter(Boolean).join("\n"), submitLabel: texts.notifyButton, shows: [texts.noteLabel, texts.browserAsks] as const };
    const answer = await inGesture(environment, context, request, (signal) => within(Notification.requestPermission(), limits.wait, signal, () => noAnswer(NOTIFY.what)));
    if (answer !== "granted") throw await refusal(environment, NOTIFY, before, undefined);
  }
  const { body, tag } = rest;
  await shown(title, { ...(body !== undefined && { body }), ...(tag !== undefined && { tag }) }, context.signal);
  return { shown: true };
}

async function shown(title: string, options: NotificationOptions, signal: AbortSignal): Promise<void> {
  // On phones a page may not show one itself; its service worker may.
  const registration = await within(workerOf(), SHOWN, signal, () => new BrowserToolError("timeout", "the page's service worker did not answer")).catch(() => undefined);
  if (signal.aborted) throw calledOff();
  const late = (): Error => new BrowserToolError("timeout", "the system did not say that it showed the notification: it may be set not to disturb, so do not rely on the user having seen it");
  try {
    if (registration) return await within(registration.showNotification(title, options), SHOWN, signal, late);
    const notification = new Notification(title, options);
    const ended = new Promise<void>((resolve, reject) => {
      notification.addEventListener("show", () => resolve());
      notification.addEventListener("error", () => reject(new BrowserToolError("system", "the system did not show the notification: the user can look whether its settings allow notifications of this browser")));
    });
    notification.addEventListener("click", () => {
      window.focus();
      notification.close();
    });
    await within(ended, SHOWN, signal, late);
  } catch (thrown) {
    if (thrown instanceof BrowserToolError || signal.aborted) throw thrown;
    if (nameOf(thrown) === "TypeError") throw new BrowserToolError("unsupported", "this browser shows notifications of pages with a service worker alone, and this page has none: tell the user in the conversation instead", { cause: thrown });
    throw unforeseen("showing the notification", thrown);
  }
}

async function workerOf(): Promise<ServiceWorkerRegistration | undefined> {
  const registration = await (navigator as Partial<Navigator>).serviceWorker?.getRegistration();
  return registration?.active ? registration : undefined;
}

/** Something to share. */
export interface ShareInput {
  title?: string | undefined;
  text?: string | undefined;
  url?: string | undefined;
}

/** Opens the system's sheet, where the person chooses with whom. */
export async function share(environment: Environment, { title, text, url }: ShareInput, context: ToolContext): Promise<{ shared: true }> {
  const { texts, limits } = environment;
  const before = await requireLeave(SHARE);
  const data: ShareData = { ...(title !== undefined && { title }), ...(text !== undefined && { text }), ...(url !== undefined && { url: addressOf(url) }) };
  if (Object.keys(data).length === 0) throw new BrowserToolError("invalid", "there is nothing to share: give a title, a text or a url");
  if (typeof navigator.canShare === "function" && !navigator.canShare(data)) throw new BrowserToolError("unsupported", "this device cannot share that: try a text alone, or write it to the clipboard instead");
  const request = { title: texts.shareTitle, submitLabel: texts.shareButton, shows: [texts.textLabel, [title, text, data.url].filter(Boolean).join("\n")] as const };
  await inGesture(environment, context, request, async (signal) => {
    try {
      await within(navigator.share(data), limits.wait, signal, () => noAnswer(SHARE.what));
    } catch (thrown) {
      if (signal.aborted || thrown instanceof BrowserToolError) throw thrown;
      if (nameOf(thrown) === "AbortError") throw environment.declined("the user closed the share sheet without sharing");
      if (refusedForGesture(thrown)) throw gestureWanted(thrown);
      if (nameOf(thrown) === "InvalidStateError") throw new BrowserToolError("busy", "another share sheet is open: ask the user to finish with it first", { cause: thrown });
      if (nameOf(thrown) === "NotAllowedError") throw await refusal(environment, SHARE, before, thrown);
      throw unforeseen("sharing", thrown);
    }
  });
  return { shared: true };
}

/** The address as others can use it. What is shared in the user's name leads to the web alone. */
function addressOf(url: string): string {
  let address: URL | undefined;
  try {
    address = new URL(url, document.baseURI);
  } catch {
    // Said below.
  }
  if (!address || !/^https?:$/.test(address.protocol)) throw new BrowserToolError("invalid", "url must be a web address that begins with https:// or http://");
  return address.href;
}
