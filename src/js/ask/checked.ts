/**
 * The check of an answer: by the validator that checks tool arguments, or by a Standard Schema.
 * What it needs of the first load it is given.
 */
import type { Issue } from "../errors.js";
import type { Given } from "../given.js";
import type { AnySchema, JsonSchema } from "../infer.js";
import { toJsonText } from "../serialise.js";
import type { StandardIssue, StandardSchema } from "../standard-schema.js";
import type { Checked, Refused } from "./question.js";

/** What checks the answers to one question. */
export interface AnswerCheck {
  /** What a form is drawn by; nothing where a Standard Schema carries no JSON Schema. */
  readonly schema: JsonSchema | undefined;
  /** Resolves with what is wrong with the schema itself, once that is known; with nothing if it is right. */
  readonly complaint: Promise<string | undefined>;
  check(value: unknown): Promise<Checked>;
}

/** Makes the check of a schema. */
export function answerCheck(given: Given, schema: AnySchema, drawnBy?: JsonSchema): AnswerCheck {
  const checks = given.checksOf({ name: "question", input: schema, output: schema, inputSchema: drawnBy });
  const drawn = checks.declared("input");
  const standard = standardOf(schema);
  if (standard) return { schema: drawn, complaint: Promise.resolve(undefined), check: (value) => byStandard(given, standard, value) };
  const complaint = Promise.resolve(checks.compiled("output")).then(
    (made) => (made && !("check" in made) ? made.message.replace(/^[^:]*: /, "") : undefined),
    // What could not be loaded is tried again by the answer.
    () => undefined,
  );
  return { schema: drawn, complaint, check: (value) => byJsonSchema(given, checks, value) };
}

/** Checks the very text that would travel, so that what passed is what is handed out. */
async function byJsonSchema(given: Given, checks: ReturnType<Given["checksOf"]>, value: unknown): Promise<Checked> {
  let text: string;
  try {
    text = toJsonText(value, given.messageOf);
  } catch (error) {
    return { ok: false, code: "invalid", problem: given.messageOf(error), issues: [] };
  }
  const verdict = await checks.check("output", text, "exact");
  if ("unavailable" in verdict) return { ok: false, code: "unavailable", problem: verdict.unavailable };
  return "issues" in verdict ? refusal(verdict.issues) : { value: given.parseOr(text) };
}

async function byStandard(given: Given, standard: StandardSchema["~standard"], value: unknown): Promise<Checked> {
  try {
    const result = await standard.validate(value);
    if (!result.issues) return { value: result.value };
    return refusal(Array.from(result.issues, issueOf));
  } catch (error) {
    return { ok: false, code: "unavailable", problem: `the validator itself failed: ${given.messageOf(error)}` };
  }
}

function standardOf(schema: AnySchema): StandardSchema["~standard"] | undefined {
  const standard = (schema as Partial<StandardSchema>)["~standard"];
  return typeof standard?.validate === "function" ? standard : undefined;
}

function issueOf({ path = [], message }: StandardIssue): Issue {
  const steps = path.map((step) => String(typeof step === "object" ? step.key : step));
  return { path: steps.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""), keyword: "schema", message };
}

function refusal(issues: readonly Issue[]): Refused {
  const problem = issues.map((issue) => issue.message).join("; ") || "the value does not fit";
  return { ok: false, code: "invalid", problem, issues };
}
