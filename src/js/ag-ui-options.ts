/**
 * The options that only the `ag-ui` transport has: what they are, what is wrong with them, and the addresses that
 * follow from that of the run endpoint. Loaded with that transport; whatever it needs of the first load it is given.
 */
import type { Given } from "./given.js";
import type { Settled } from "./options.js";
import type { Rules } from "./shape.js";

/** Something the agent is told beside the conversation. */
export interface AgUiContext {
  description: string;
  value: string;
}

/** A message as AG-UI has it. Fields that are not named here go along as they are. */
export interface AgUiMessage {
  id: string;
  role: "user" | "assistant" | "system" | "developer" | "tool" | "reasoning" | "activity";
  content?: unknown;
  /** Of an assistant's message. */
  toolCalls?: readonly { id: string; type: "function"; function: { name: string; arguments: string } }[];
  /** Of a tool's message. */
  toolCallId?: string;
  [field: string]: unknown;
}

/** What the `ag-ui` transport is told beside the rest. */
export interface AgUiOptions {
  /**
   * Where a session that exists is read from; `false` where that cannot be. A relative address counts from `engine`.
   * @defaultValue for an address that ends in `/agents/NAME/run` or `/agent/NAME/run`, the same with `connect` at its end
   */
  connect?: string | URL | false | undefined;
  /** Goes along with every run. A function is asked before each. */
  context?: readonly AgUiContext[] | (() => readonly AgUiContext[]) | undefined;
  /** Whatever the server wants beside the protocol; goes along with every run. A function is asked before each. */
  forwardedProps?: unknown;
  /** The agent's state to begin with. */
  state?: unknown;
  /** The conversation to begin with, where neither the server nor this browser knows of one. */
  messages?: readonly AgUiMessage[] | undefined;
}

const ROLES = ["user", "assistant", "system", "developer", "tool", "reasoning", "activity"];

const isText = (value: unknown) => typeof value === "string";
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** Whether it is a list of context. @internal */
export function isContext(value: unknown): value is AgUiContext[] {
  return Array.isArray(value) && value.every((one) => isRecord(one) && isText(one.description) && isText(one.value));
}

/** What a context must be, in words. @internal */
export const CONTEXT = "must be a list of objects with two texts, description and value";

function isMessages(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => isRecord(one) && isText(one.id) && one.id !== "" && ROLES.includes(one.role as string));
}

const RULES: Rules = {
  connect: ["must be an address or false", (connect) => connect === false || connect instanceof URL || (isText(connect) && connect !== "")],
  context: [`${CONTEXT}, or a function that gives one`, (context) => typeof context === "function" || isContext(context)],
  forwardedProps: ["", () => true],
  state: ["", () => true],
  messages: [`must be a list of messages, each with an id and one of the roles ${ROLES.join(", ")}`, isMessages],
};

/** What the machine's configuration has of it. @internal */
export interface Addresses {
  agent: string;
  connect?: string;
  /** Where the native engine takes answers beside its AG-UI endpoint. */
  nativeInput?: string;
}

/** Looks the options over. Throws `invalid-options` over the first that is wrong. @internal */
export function addressesOf({ PagehandError, validate }: Given, { engine, agent, session, agUi = {} }: Settled): Addresses {
  const wrong = (name: string, words: string) => new PagehandError("invalid-options", `${name} ${words}`);
  validate("invalid-options", agUi, RULES, "agUi.");
  // The server would be told another one than what is kept here goes by.
  if (/\p{Surrogate}/u.test(session ?? "")) throw wrong("session", "must be made of whole characters; half of a surrogate pair was found");
  const run = new URL(engine);
  const addresses: Addresses = { agent };
  if (agUi.connect !== undefined && agUi.connect !== false) {
    let connect: URL;
    try {
      connect = new URL(agUi.connect, run);
    } catch {
      throw wrong("agUi.connect", "must be an address or false");
    }
    // The token goes there too.
    if (connect.origin !== run.origin) throw wrong("agUi.connect", "must be of the same origin as engine");
    if (connect.username || connect.password) throw wrong("agUi.connect", "must not hold a user name or password");
    if (connect.hash) throw wrong("agUi.connect", "must have no fragment");
    addresses.connect = connect.href;
  } else if (agUi.connect !== false && /\/agents?\/[^/]+\/run$/.test(run.pathname)) {
    addresses.connect = run.origin + run.pathname.replace(/run$/, "connect") + run.search;
  }
  const [, base, name] = /^(.*)\/api\/channels\/ag-ui\/agents\/([^/]+)\/run$/.exec(run.pathname) ?? [];
  if (name !== undefined) {
    const named = decoded(name);
    if (agent !== "" && agent !== named) throw wrong("agent", "must be the one that engine's address names, or be left out");
    addresses.agent = named;
    addresses.nativeInput = `${run.origin}${base}/api/client/sessions/input`;
  }
  return addresses;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
