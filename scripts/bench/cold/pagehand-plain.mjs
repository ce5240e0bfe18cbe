/** Ours with a tool that has no schema: what is left when nothing has to be checked. */
import { start as startWith } from "./pagehand.mjs";

export const start = () => startWith(undefined, { type: "object" });
