/**
 * What the person sees while a photo is taken: the moving picture, a button that takes it, and a way out. Drawn in a
 * modal `<dialog>` within a shadow root, in the look of the other questions, and gone when the photo is there.
 */
import { make } from "../ask/make.js";
import { styles } from "../ask/styles.js";
import type { Environment } from "./environment.js";
import { type Drawn, drawn } from "./image.js";
import { BrowserToolError, unforeseen } from "./trouble.js";
import { calledOff, within } from "./within.js";

/** How long a camera may take to show something, in milliseconds. */
const START = 15_000;

/** Room for the picture; front cameras show it as a mirror does. */
const RULES = `
.camera { display: grid; gap: 1em; padding: 1.25em; }
video { width: 100%; max-height: 60vh; aspect-ratio: 4 / 3; object-fit: contain; background: #000000; border-radius: var(--_r); }
video.mirror { transform: scaleX(-1); }
`;

/** Shows what the camera sees until the person takes a picture. Rejects with `declined` when they do not want to. */
export async function takeInView(environment: Environment, stream: MediaStream, reason: string | undefined, mirror: boolean, signal: AbortSignal): Promise<Drawn> {
  const { texts, limits } = environment;
  const video = make("video", { part: "preview", class: mirror ? "mirror" : undefined, "aria-label": texts.preview });
  const shutter = make("button", { part: "button submit", type: "button", disabled: true }, texts.shutter);
  const cancel = make("button", { part: "button cancel", type: "button" }, texts.cancel);
  const status = make("p", { part: "note", class: "note", role: "status" }, texts.starting);
  const title = make("h2", { part: "title", id: "title", tabindex: "-1" }, texts.photoTitle);
  const inner = make("div", { class: "camera" }, title, reason ? make("p", { part: "message", class: "message" }, reason) : undefined, video, status, make("div", { part: "actions", class: "actions" }, cancel, shutter));
  const dialog = make("dialog", { part: "dialog", "aria-modal": "true", "aria-labelledby": "title", "data-theme": "auto" }, inner);
  const host = document.createElement("pagehand-camera");
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(RULES);
  root.adoptedStyleSheets = [styles(), sheet];
  root.append(dialog);
  const watch = new MutationObserver((changes) => {
    if (!host.isConnected) return leave();
    // The question that stops the call's clock may come after the picture, and is behind it all the same.
    if (changes.some((change) => [...change.addedNodes].some((node) => node.nodeName === "PAGEHAND-ASK"))) raise(dialog);
  });
  let leave: () => void = () => undefined;
  const clicked = new Promise<void>((resolve, reject) => {
    leave = () => reject(environment.declined("the user did not want to take a photo"));
    shutter.addEventListener("click", () => resolve());
    cancel.addEventListener("click", leave);
    dialog.addEventListener("close", () => dialog.open || leave());
    for (const track of stream.getTracks()) track.addEventListener("ended", () => reject(new BrowserToolError("no-device", "the camera was unplugged or switched off while it was in use: ask the user to look, then try again")));
  });
  clicked.catch(() => undefined);
  // What is typed here must not reach the shortcuts of the page.
  for (const type of ["keydown", "keyup", "keypress"]) dialog.addEventListener(type, (event) => event.stopPropagation());
  try {
    if (signal.aborted) throw calledOff();
    document.documentElement.append(host);
    watch.observe(document.documentElement, { childList: true });
    dialog.showModal();
    title.focus();
    await Promise.race([clicked, within(started(video, stream), START, signal, () => new BrowserToolError("busy", "the camera shows no picture; another program may be using it: the user can close that program, then try again"))]);
    status.textContent = "";
    shutter.disabled = false;
    shutter.focus();
    await within(clicked, limits.wait, signal, () => environment.declined("the user did not take a photo in time"));
    return await drawn(video, video.videoWidth, video.videoHeight, limits.imageEdge, limits.imageBytes);
  } finally {
    watch.disconnect();
    dialog.close();
    host.remove();
    video.srcObject = null;
  }
}

/** Puts a modal dialog above those that were shown later. */
function raise(dialog: HTMLDialogElement): void {
  const focused = (dialog.getRootNode() as ShadowRoot).activeElement as HTMLElement | null;
  dialog.close();
  dialog.showModal();
  focused?.focus();
}

/** Resolves once there is a picture. */
async function started(video: HTMLVideoElement, stream: MediaStream): Promise<void> {
  // iOS plays within the page only what is muted and says so.
  video.muted = true;
  video.playsInline = true;
  const shown = new Promise<void>((resolve) => video.addEventListener("loadeddata", () => resolve(), { once: true }));
  video.srcObject = stream;
  try {
    await video.play();
  } catch (thrown) {
    throw unforeseen("showing what the camera sees", thrown);
  }
  if (video.videoWidth === 0) await shown;
}
