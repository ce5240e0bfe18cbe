/**
 * Whether a call may run, must be asked about, or may not run: the page's policy first, then what the tool says of
 * itself. Fails closed: what cannot be read or throws never becomes a yes. Pure but for the author's own functions.
 */
import type { MaybePromise } from "../load.js";
import type { Tool, ToolAnnotations } from "../tool.js";

/** What is decided of a call. */
export type PolicyDecision = "allow" | "ask" | "deny";

/** The call that is decided on. */
export interface PolicyCall {
  readonly sessionId: string;
  readonly callId: string;
  readonly attempt: number;
  readonly tool: Tool;
  /** The exact arguments that would run. */
  readonly input: unknown;
  /** Where the page comes from; empty outside a page. */
  readonly origin: string;
}

/** One rule. Whatever it names must be so; a rule that names nothing is for every call. */
export interface PolicyRule {
  /** The tool's name; `*` stands for any characters. */
  readonly tool?: string | undefined;
  /** A mark that the tool has. */
  readonly annotation?: keyof ToolAnnotations | undefined;
  /** Looks at the arguments, and may take its time. If it throws, an `allow` does not apply and anything else does. */
  readonly when?: ((input: never) => unknown) | undefined;
  /** Where the page comes from; `*` stands for any characters. */
  readonly origin?: string | undefined;
  readonly decision: PolicyDecision;
  /** Why not, for the model. */
  readonly reason?: string | undefined;
}

/** Rules, of which the first that fits decides, or a function; what neither decides on is up to the tool. */
export type Policy = readonly PolicyRule[] | ((call: PolicyCall) => MaybePromise<PolicyDecision | undefined>);

/** A decision and why. */
export interface Decided {
  readonly decision: PolicyDecision;
  readonly reason?: string | undefined;
  /** Whether a yes covers later calls of the tool. */
  readonly once?: boolean | undefined;
}

const DECISIONS: readonly unknown[] = ["allow", "ask", "deny"];
const MARKS: readonly unknown[] = ["readOnly", "idempotent", "destructive", "untrusted"] satisfies (keyof ToolAnnotations)[];
const isText = (value: unknown) => typeof value === "string";
/** What a rule may name, and what each must be. */
const FIELDS: Readonly<Record<keyof PolicyRule, (value: unknown) => boolean>> = {
  tool: isText,
  origin: isText,
  reason: isText,
  annotation: (value) => MARKS.includes(value),
  when: (value) => typeof value === "function",
  decision: (value) => DECISIONS.includes(value),
};

const known = (field: string): field is keyof PolicyRule => Object.hasOwn(FIELDS, field);

/** Decides. `complain` hears of what threw or cannot be read. */
export async function decide(policy: Policy | undefined, call: PolicyCall, complain: (cause: unknown) => void): Promise<Decided> {
  const byPage = typeof policy === "function" ? await byFunction(policy, call, complain) : policy && (await byRules(policy, call, complain));
  return byPage ?? (await byTool(call, complain));
}

async function byFunction(policy: Extract<Policy, (call: PolicyCall) => unknown>, call: PolicyCall, complain: (cause: unknown) => void): Promise<Decided | undefined> {
  try {
    const decision: unknown = await policy(call);
    if (decision === undefined) return undefined;
    if (DECISIONS.includes(decision)) return { decision: decision as PolicyDecision };
    complain(new TypeError('the policy must give "allow", "ask", "deny" or nothing'));
  } catch (error) {
    complain(error);
  }
  return { decision: "ask" };
}

async function byRules(rules: readonly PolicyRule[], call: PolicyCall, complain: (cause: unknown) => void): Promise<Decided | undefined> {
  for (const [index, rule] of rules.entries()) {
    const odd = Object.entries(rule ?? {}).find(([field, value]) => !known(field) || (value !== undefined && !FIELDS[field](value)));
    if (odd || !DECISIONS.includes(rule?.decision)) {
      // It may have been meant for this very call.
      complain(new TypeError(`policy[${index}] ${odd ? `has ${known(odd[0]) ? "a field that cannot be read:" : "an unknown field"} "${odd[0]}"` : "needs a decision"}`));
      return { decision: "ask" };
    }
    if (await fits(rule, call, complain)) return { decision: rule.decision, reason: rule.reason };
  }
  return undefined;
}

async function fits(rule: PolicyRule, { tool, input, origin }: PolicyCall, complain: (cause: unknown) => void): Promise<boolean> {
  if (rule.tool !== undefined && !matches(rule.tool, tool.name)) return false;
  if (rule.annotation !== undefined && tool.annotations?.[rule.annotation] !== true) return false;
  if (rule.origin !== undefined && !matches(rule.origin, origin)) return false;
  if (rule.when === undefined) return true;
  try {
    // A promise is no yes: what it resolves to is.
    return Boolean(await rule.when(input as never));
  } catch (error) {
    complain(error);
    return rule.decision !== "allow";
  }
}

async function byTool({ tool, input }: PolicyCall, complain: (cause: unknown) => void): Promise<Decided> {
  const { approve = tool.annotations?.destructive === true } = tool;
  if (typeof approve !== "function") return approve === "once" ? { decision: "ask", once: true } : { decision: approve === false || approve === "never" ? "allow" : "ask" };
  try {
    const said: unknown = await approve(input);
    if (said === false || said === "allow") return { decision: "allow" };
    return { decision: said === "deny" ? "deny" : "ask" };
  } catch (error) {
    complain(error);
    return { decision: "ask" };
  }
}

/** Whether a text has the form of a pattern. Linear in both: a name may be long. */
export function matches(pattern: string, text: string): boolean {
  const [head = "", ...rest] = pattern.split("*");
  const tail = rest.pop();
  if (tail === undefined) return text === pattern;
  if (!text.startsWith(head)) return false;
  let at = head.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - tail.length >= at && text.endsWith(tail);
}
