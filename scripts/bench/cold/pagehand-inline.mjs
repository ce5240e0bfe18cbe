/** Ours with the runtime's WASM file inside the JavaScript, as base64. What reads bytes comes with it, not later. */
import bytes from "inline:runtime.wasm";
import "pagehand/load-otherwise";
import { start as startWith } from "./pagehand.mjs";

export const start = () => startWith(Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0)));
