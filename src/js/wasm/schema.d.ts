/**
 * What the facade uses of the generated glue of the schema file. Kept by hand, as for the runtime's.
 */
export default function init(options: { module_or_path: WebAssembly.Module }): Promise<unknown>;
export function buildInfo(): string;

export class RawValidator {
  constructor(schema: string, draft?: string);
  free(): void;
  check(text: string): string;
}
