/**
 * What the testing entry uses of the generated glue of the engine file. Kept by hand, as for the runtime's.
 */
export function initSync(options: { module: WebAssembly.Module }): unknown;
export function buildInfo(): string;
export function parseEventStream(chunks: Uint8Array[]): string;

export class RawEngine {
  constructor(config: string);
  free(): void;
  handle(now: number, input: string, body?: Uint8Array): void;
  drain(): string;
  nextTimeout(): number | undefined;
  inspect(session: string): string;
  sessions(): string;
}
