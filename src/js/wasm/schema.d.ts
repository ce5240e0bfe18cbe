/**
 * What the facade uses of the generated glue of the schema file. Kept by hand, as for the runtime's.
 */
export function initSync(options: { module: WebAssembly.Module }): unknown;
export function buildInfo(): string;
export function lintSchema(schema: string): string;

export class RawSchema {
  static compile(schema: string, draft?: string): RawSchema;
  free(): void;
  checkText(text: string): string;
  checkResult(text: string): string;
}
