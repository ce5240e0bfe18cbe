/**
 * The Standard Schema V1 interface, as its specification gives it, and how its findings become issues.
 * A validator is user code: it may throw, and whoever calls it has to expect that.
 */
import { type Issue, messageOf } from "./errors.js";

/** A schema of any library that follows Standard Schema V1. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** What a validator finds. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One of its findings. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Whether a value follows Standard Schema V1. Schemas may be functions with properties. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const standard = (value as { "~standard"?: { validate?: unknown } })["~standard"];
  return typeof standard === "object" && standard !== null && typeof standard.validate === "function";
}

/** Its findings in the form all checkers here use. */
export function toIssues(found: readonly StandardIssue[]): Issue[] {
  // Some libraries have lists of their own, whose `map` makes another of them.
  return Array.from(found, (issue) => {
    const path = (issue.path ?? []).map((step) => pointerStep(typeof step === "object" ? step.key : step)).join("");
    const found = messageOf(issue);
    const message = path === "" ? found : `${path}: ${found}`;
    return { path, keyword: "schema", message };
  });
}

function pointerStep(key: PropertyKey): string {
  return `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
