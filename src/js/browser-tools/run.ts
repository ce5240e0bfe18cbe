/**
 * What the browser tools do: the one part that is loaded by the first call of any of them.
 */
export { keepScreenAwake as keep_screen_awake, letScreenSleep as let_screen_sleep } from "./awake.js";
export { takePhoto as take_photo } from "./camera.js";
export { readClipboard as read_clipboard, writeClipboard as write_clipboard } from "./clipboard.js";
export { getLocale as get_locale, getScreen as get_screen } from "./facts.js";
export { pickFiles as pick_files } from "./files.js";
export { getLocation as get_location } from "./location.js";
export { share, showNotification as show_notification } from "./notify.js";
