/**
 * What the facade uses of the generated glue of the checker file. Kept by hand, as for the runtime's.
 */
export function initSync(options: { module: WebAssembly.Module }): unknown;
export function buildInfo(): string;
export function roomMemory(): WebAssembly.Memory;
export function room(): number;

export class RawSmall {
  static compile(schema: string, forInput: boolean): RawSmall | undefined;
  free(): void;
  checkRoom(length: number): string | undefined;
  checkText(text: string): string;
  checkResult(text: string): string;
}
