/**
 * What the page entry uses of the generated glue of the page file. Kept by hand, as for the runtime's.
 */
import type { PageHands } from "../page-hands.js";
import type { PageHost } from "../page-host.js";

export function initSync(options: { module: WebAssembly.Module }): unknown;
export function buildInfo(): string;
export function __wbg_reset_state(): void;

export class RawPage {
  constructor(options: object, hands: PageHands);
  free(): void;
  run(name: string, input: object, host: PageHost): Promise<unknown>;
  inWords(reference: string): string | undefined;
  called(element: Element): [role: string, name: string];
}
