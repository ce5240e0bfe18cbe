/**
 * What the facade uses of the generated glue of the runtime file. Kept by hand: the generated
 * declarations are looser, and the facade must type-check before anything is built.
 */
import type { Host } from "../host.js";
import type { FlatRecord } from "../store.js";

export function initSync(options: { module: WebAssembly.Module }): unknown;
export function buildInfo(): string;
export function __wbg_reset_state(): void;

export class RawRuntime {
  constructor(config: object, host: Host);
  free(): void;
  setInterest(kinds: string): void;
  registerTool(spec: object): void;
  unregisterTool(name: string): void;
  attach(): void;
  send(turnId: string, messageId: string, text: string, queue: boolean): void;
  invokeTool(callId: string, name: string, argumentsText: string): void;
  wake(): void;
  setOnline(online: boolean): void;
  progress(invocation: number): void;
  askingStarted(invocation: number): void;
  askingEnded(invocation: number): void;
  gainOwnership(records: readonly FlatRecord[]): void;
  loseOwnership(): void;
  /** Resumes what waits at an interrupt, with JSON text. */
  answerInterrupt(interruptId: string, payload: string | undefined): void;
  /** Those open now, a JSON array. */
  interrupts(): string;
  suspend(): void;
  resume(): void;
  trap(later: boolean): void;
  declarations(): string;
  pending(): string;
  state(): string;
  close(): void;
}
