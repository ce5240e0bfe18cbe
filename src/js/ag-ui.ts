/**
 * A runtime over AG-UI: the WASM file that speaks it, loaded instead of the runtime's own, and the machine in it as
 * the facade sees it. Loaded with the `ag-ui` transport; whatever it needs of the first load it is given.
 */
import { Along } from "./ag-ui-along.js";
import { type Addresses, addressesOf } from "./ag-ui-options.js";
import type { Given } from "./given.js";
import type { Host } from "./host.js";
import type { WasmFile } from "./load.js";
import type { Machine, MachineHooks, Machines } from "./machines.js";
import type { Settled } from "./options.js";

let file: WasmFile<Machines> | undefined;

/** The options in their final form, and the machines to make one of. Rejects with `invalid-options` or a load error. @internal */
export async function overAgUi(given: Given, options: Settled): Promise<[Settled, Machines]> {
  const [addresses, along] = reading(given, options);
  const settled = { ...options, agent: addresses.agent };
  file ??= new given.WasmFile<Machines>(
    "ag_ui",
    () => new URL("./wasm/ag_ui_bg.wasm", import.meta.url),
    async () => given.machinesOf(),
  );
  const machines = await file.load(options.wasm);
  return [settled, { ...machines, RawRuntime: machineOver(machines.RawRuntime, settled, addresses, along) }];
}

/** What the options say. Getters and proxies in them may throw whatever they like. */
function reading(given: Given, options: Settled): [Addresses, Along] {
  const { PagehandError, messageOf } = given;
  try {
    return [addressesOf(given, options), new Along(given, options.agUi ?? {})];
  } catch (cause) {
    if (cause instanceof PagehandError) throw cause;
    throw new PagehandError("invalid-options", `agUi cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/** The machine of one runtime: whatever begins a run has what goes along with it brought up to date before. */
function machineOver(Raw: Machines["RawRuntime"], { engine }: Settled, addresses: Addresses, along: Along) {
  return class extends Raw {
    readonly #hooks: MachineHooks;
    /** Messages that wait for what goes along, by their turns, and why they were called off meanwhile. */
    readonly #beginning = new Map<string, string | undefined>();

    constructor(config: object, host: Host, hooks: MachineHooks) {
      super({ ...config, ...addresses }, hostOver(host, hooks, [engine, addresses.connect], () => along.refresh(hooks)), hooks);
      this.#hooks = hooks;
      this.setInterest("");
      this.provide(along.begin(hooks));
    }

    /** The facade itself wants to know the agent's state, whoever listens. */
    override setInterest(kinds: string): void {
      super.setInterest(`${kinds},state`);
    }

    override send(...message: Parameters<Machine["send"]>): void {
      const [turnId] = message;
      this.#beginning.set(turnId, undefined);
      along.refresh(this.#hooks);
      const reason = this.#beginning.get(turnId);
      this.#beginning.delete(turnId);
      super.send(...message);
      if (reason !== undefined) super.cancelTurn(turnId, reason);
    }

    /** A function that is asked what goes along may call off the very message it is asked for. */
    override cancelTurn(turnId: string, reason: string): void {
      if (this.#beginning.has(turnId)) this.#beginning.set(turnId, reason);
      else super.cancelTurn(turnId, reason);
    }

    override answerInterrupt(...answer: Parameters<Machine["answerInterrupt"]>): void {
      along.refresh(this.#hooks);
      super.answerInterrupt(...answer);
    }

    override setAgentState(state: unknown): void {
      along.setState(this.#hooks, state);
    }
  };
}

/** The host as this machine has it. What others put into its place later counts here too. */
function hostOver(host: Host, hooks: MachineHooks, streams: readonly (string | undefined)[], refresh: () => void): Host {
  const fetch: Host["fetch"] = async (request, size) => {
    const response = await host.fetch(request, size);
    if ((response as { status?: unknown } | undefined)?.status === 403 && streams.includes(request.url)) hooks.refused();
    return response;
  };
  const invoke: Host["invoke"] = async (...run) => {
    const [, sessionId] = run;
    try {
      return await host.invoke(...run);
    } finally {
      // Calls of the app's own begin no run, and the very function that is asked may make one.
      if (sessionId !== "") refresh();
    }
  };
  return Object.create(host, { fetch: { value: fetch }, invoke: { value: invoke } }) as Host;
}
