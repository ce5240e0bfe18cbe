/**
 * Every word the browser tools say to people, in English, to be replaced by any other language. What the model reads
 * is not among them.
 */

/** The words. An `…Action` says what the call does, where it is approved or listed. */
export interface BrowserTexts {
  locationAction: string;
  locationTitle: string;
  locationButton: string;
  readAction: string;
  readTitle: string;
  readButton: string;
  writeAction: string;
  writeTitle: string;
  writeButton: string;
  filesAction: string;
  filesTitle: string;
  filesButton: string;
  photoAction: string;
  photoTitle: string;
  photoButton: string;
  /** Takes the picture. */
  shutter: string;
  /** Names the moving picture, for those who do not see it. */
  preview: string;
  starting: string;
  notifyAction: string;
  notifyTitle: string;
  notifyButton: string;
  shareAction: string;
  shareTitle: string;
  shareButton: string;
  awakeAction: string;
  sleepAction: string;
  screenAction: string;
  localeAction: string;
  /** Label of what a question is about: a text to copy, kinds of files. */
  textLabel: string;
  kindsLabel: string;
  anyKind: string;
  noteLabel: string;
  /** Said where the browser will ask once more. */
  browserAsks: string;
  cancel: string;
}

/** Other words for some of them. */
export type PartialBrowserTexts = { readonly [Key in keyof BrowserTexts]?: string | undefined };

const english: BrowserTexts = {
  locationAction: "Find out where you are",
  locationTitle: "Looking for where you are…",
  locationButton: "Try again",
  readAction: "Read what you have copied",
  readTitle: "Let the assistant read what you have copied?",
  readButton: "Paste",
  writeAction: "Copy a text for you",
  writeTitle: "Copy this text?",
  writeButton: "Copy",
  filesAction: "Ask you for files",
  filesTitle: "Choose files for the assistant",
  filesButton: "Choose…",
  photoAction: "Take a photo",
  photoTitle: "Take a photo for the assistant",
  photoButton: "Turn the camera on",
  shutter: "Take the photo",
  preview: "What the camera sees",
  starting: "The camera is starting…",
  notifyAction: "Show a notification",
  notifyTitle: "Allow notifications from this page?",
  notifyButton: "Continue",
  shareAction: "Share something",
  shareTitle: "Share this?",
  shareButton: "Share…",
  awakeAction: "Keep the screen on",
  sleepAction: "Let the screen go dark",
  screenAction: "Look at the screen's size",
  localeAction: "Look at language and time",
  textLabel: "Text",
  kindsLabel: "Kinds of files",
  anyKind: "Any",
  noteLabel: "Note",
  browserAsks: "Your browser may ask you as well.",
  cancel: "Cancel",
};

/** English with other words for some of them. */
export function wordsWith(own: PartialBrowserTexts = {}): BrowserTexts {
  return { ...english, ...(Object.fromEntries(Object.entries(own).filter(([, words]) => words !== undefined)) as Partial<BrowserTexts>) };
}
