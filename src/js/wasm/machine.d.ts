/**
 * What the facade uses of the generated glue of the runtime's file and of AG-UI's, which is one text. Kept by hand: the
 * generated declarations are looser, and the facade must type-check before anything is built.
 */
import type { Host } from "../host.js";
import type { FlatRecord } from "../store.js";

/** Makes what belongs to one module. */
export function makeGlue(): {
  RawRuntime: typeof RawRuntime;
  initSync(options: { module: WebAssembly.Module }): unknown;
  buildInfo(): string;
  __wbg_reset_state(): void;
};

export declare class RawRuntime {
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
  cancelTurn(turnId: string, reason: string): void;
  /** Resumes what waits at an interrupt, with JSON text, or refuses it. */
  answerInterrupt(interruptId: string, payload: string | undefined, cancelled: boolean): void;
  /** Those open now, a JSON array. */
  interrupts(): string;
  suspend(): void;
  resume(): void;
  trap(later: boolean): void;
  declarations(): string;
  pending(): string;
  state(): string;
  close(): void;
  /**
   * What the next run over AG-UI takes along: JSON text of an object, each of whose fields replaces what was known.
   * Only that file has it.
   */
  provide(json: string): void;
}
