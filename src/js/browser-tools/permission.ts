/**
 * What is known of a permission before a browser's function is used, and what a refusal means afterwards: a person's
 * no, a standing setting, the page's policy, or the system's. Asks nobody anything.
 */
import type { Environment } from "./environment.js";
import { BrowserToolError, wordsOf } from "./trouble.js";

/** `unknown` where the browser does not tell. */
export type Permission = PermissionState | "unknown";

/** A browser's function that needs leave. */
export interface Leave {
  /** What it is, as in "the camera". */
  readonly what: string;
  /** Its name for `navigator.permissions.query`. */
  readonly permission?: string | undefined;
  /** Its name in a Permissions-Policy. */
  readonly policy?: string | undefined;
}

/** How long a browser may take to look a permission up. */
const LOOK = 1_000;

/** The state of a permission. Never rejects. */
export async function permissionOf({ permission }: Leave): Promise<Permission> {
  if (permission === undefined) return "unknown";
  try {
    const late = new Promise<undefined>((resolve) => setTimeout(resolve, LOOK));
    const status = await Promise.race([navigator.permissions.query({ name: permission as PermissionName }), late]);
    return status && /^(granted|denied|prompt)$/.test(status.state) ? status.state : "unknown";
  } catch {
    return "unknown";
  }
}

/** Looks before asking: throws where the answer is no already. */
export async function requireLeave(leave: Leave): Promise<Permission> {
  if (globalThis.isSecureContext === false) throw new BrowserToolError("insecure-context", `${leave.what} can be used on secure pages (HTTPS) alone, and this page is none: the user can do nothing about it here`);
  if (forbidden(leave)) throw policyRefuses(leave);
  const state = await permissionOf(leave);
  if (state === "denied") throw blocked(leave);
  return state;
}

/** What a refusal (`NotAllowedError` and the like) means, given what was known before. */
export async function refusal(environment: Environment, leave: Leave, before: Permission, thrown: unknown): Promise<Error> {
  if (forbidden(leave)) return policyRefuses(leave);
  const after = await permissionOf(leave);
  if (before === "granted" && after === "granted") {
    return new BrowserToolError("system", `the browser refused ${leave.what} although this site may use it (${wordsOf(thrown).slice(0, 200)}): the user can look whether the system's privacy settings allow it to the browser`, { cause: thrown });
  }
  if (after === "denied") return environment.declined(`the user does not allow ${leave.what} to this site; asking again will not help unless they change it in the browser's site settings`);
  return environment.declined(`the user did not allow ${leave.what}, or closed the browser's question; ask them before you try again`);
}

/** Said where a setting says no already, so that nobody is asked. */
export function blocked({ what }: Leave): Error {
  return new BrowserToolError("blocked", `${what} is blocked for this site in the browser's settings: the user can allow it there (the icon beside the address), then reload the page or ask again`);
}

function policyRefuses({ what, policy }: Leave): Error {
  return new BrowserToolError("policy", `this page's Permissions-Policy does not allow ${what}${policy === undefined ? "" : ` (${policy})`}: only whoever runs the site can change that`);
}

/** Whether the page's own policy forbids it, as far as the browser tells. */
function forbidden({ policy }: Leave): boolean {
  type Teller = { allowsFeature?: (feature: string) => boolean; features?: () => string[] };
  const { permissionsPolicy, featurePolicy } = document as { permissionsPolicy?: Teller; featurePolicy?: Teller };
  const teller = permissionsPolicy ?? featurePolicy;
  if (policy === undefined || !teller?.allowsFeature) return false;
  try {
    // A feature the browser does not know is not one that was forbidden.
    return teller.features?.().includes(policy) !== false && !teller.allowsFeature(policy);
  } catch {
    return false;
  }
}
