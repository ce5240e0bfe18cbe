/**
 * What the facade uses of the generated glue of the runtime file. Kept by hand: the generated
 * declarations are looser, and the facade must type-check before anything is built.
 */
import type { Host } from "../host.js";

export default function init(options: { module_or_path: WebAssembly.Module }): Promise<unknown>;
export function buildInfo(): string;

export class RawRuntime {
  constructor(config: string, host: Host);
  free(): void;
  setInterest(kinds: string): void;
  registerTool(spec: string): void;
  unregisterTool(name: string): void;
  attach(): void;
  send(turnId: string, messageId: string, text: string, queue: boolean): void;
  invokeTool(callId: string, name: string, argumentsText: string): void;
  wake(): void;
  setOnline(online: boolean): void;
  progress(invocation: number): void;
  askingStarted(invocation: number): void;
  askingEnded(invocation: number): void;
  declarations(): string;
  pending(): string;
  state(): string;
  close(): void;
}
