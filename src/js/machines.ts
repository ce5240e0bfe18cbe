/**
 * What the WASM files have in common that a runtime's machine is made of, the runtime's own and AG-UI's: their glue is
 * one text. Runtimes of one file share its trap and its renewal; those of the other know nothing of it.
 */
import type { ErrorCode } from "./codes.js";
import type { Host } from "./host.js";
import type { Glue } from "./load.js";
import { type RawRuntime, makeGlue } from "./wasm/machine.js";

/** What a machine may ask of the runtime around it, beyond its host. @internal */
export interface MachineHooks {
  readonly dispatcher: { agentState: unknown };
  /** Does something on the machine, if there is one that is alive. */
  readonly call: (run: (raw: Machine) => void) => void;
  readonly warn: (code: ErrorCode, message: string) => void;
  /** Hears that the engine has no such session for this user. */
  readonly refused: () => void;
}

/** A machine, of either file. @internal */
export type Machine = RawRuntime & { setAgentState?(state: unknown): void };

type MakesMachines = new (config: object, host: Host, hooks: MachineHooks) => Machine;

/** A WASM file that machines are made of. They share its trap, and are made anew with it. @internal */
export interface Machines extends Glue {
  readonly RawRuntime: MakesMachines;
  /** What hears of a trap: one for each runtime. */
  readonly running: Set<(message: string) => void>;
  /** Makes the module anew, once for all who ask within one trap. */
  renew(): void;
}

/** The glue of such a file, and what its runtimes share. @internal */
export function machinesOf(): Machines {
  const { __wbg_reset_state, ...glue } = makeGlue();
  // Machines made by the dead module know it; the glue lets none of them reach the new one.
  let renewed = false;
  const renew = () => {
    if (renewed) return;
    __wbg_reset_state();
    renewed = true;
    // Those who ask within one trap are behind each other in this very queue.
    setTimeout(() => {
      renewed = false;
    });
  };
  return { ...glue, running: new Set(), renew };
}
