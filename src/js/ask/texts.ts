/**
 * Every word the dialog says of itself, in English, to be replaced by any other language. `{…}` is filled in.
 */

/** The words. */
export interface Texts {
  submit: string;
  cancel: string;
  yes: string;
  no: string;
  allow: string;
  decline: string;
  proceed: string;
  /** Title of an approval. */
  approvalTitle: string;
  approvalNote: string;
  /** What a yes covers beyond this call. */
  covers: string;
  arguments: string;
  noArguments: string;
  reason: string;
  requiredNote: string;
  noAnswer: string;
  choose: string;
  kind: string;
  add: string;
  added: string;
  remove: string;
  removed: string;
  json: string;
  others: string;
  summary: string;
  checking: string;
  /** What is wrong with a field, by the keyword that refused it. */
  problems: Readonly<Record<string, string>>;
}

/** Other words for some of them. */
export type PartialTexts = { [Key in keyof Texts]?: Texts[Key] | undefined };

export const english: Texts = {
  submit: "Send",
  cancel: "Cancel",
  yes: "Yes",
  no: "No",
  allow: "Allow",
  decline: "Decline",
  proceed: "Continue",
  approvalTitle: "Allow “{tool}”?",
  approvalNote: "The assistant wants to run “{tool}” with exactly these values.",
  covers: "A yes also covers further calls of “{tool}” for {minutes} minutes.",
  arguments: "Values",
  noArguments: "No values",
  reason: "If you decline: why? (optional)",
  requiredNote: "Fields marked * are required.",
  noAnswer: "No answer",
  choose: "Choose…",
  kind: "Kind",
  add: "Add {item}",
  added: "{item} {number} added",
  remove: "Remove {item} {number}",
  removed: "{item} {number} removed",
  json: "JSON",
  others: "Other values",
  summary: "Please look at {count} of the fields:",
  checking: "Checking…",
  problems: {
    required: "Please fill this in.",
    number: "Must be a number.",
    integer: "Must be a whole number.",
    json: "Is not valid JSON.",
    email: "Must be an e-mail address.",
    url: "Must be a web address with https:// or the like.",
    minimum: "Must be at least {limit}.",
    maximum: "Must be at most {limit}.",
    exclusiveMinimum: "Must be more than {limit}.",
    exclusiveMaximum: "Must be less than {limit}.",
    multipleOf: "Must be a multiple of {limit}.",
    minLength: "Must have at least {limit} characters.",
    maxLength: "Must have at most {limit} characters.",
    minItems: "Needs at least {limit}.",
    maxItems: "Takes at most {limit}.",
    uniqueItems: "Must not hold the same twice.",
    pattern: "Does not have the form that is asked for.",
    format: "Does not have the form that is asked for.",
    oneOf: "Does not fit the kind that was chosen.",
    anyOf: "Does not fit the kind that was chosen.",
    const: "Must be agreed to, or left as it is.",
    other: "Is not accepted.",
  },
};

/** English with other words for some of them. */
export function textsWith(own: PartialTexts = {}): Texts {
  const given = Object.fromEntries(Object.entries(own).filter(([, words]) => words !== undefined)) as Partial<Texts>;
  return { ...english, ...given, problems: { ...english.problems, ...own.problems } };
}

/** Puts values into a text. */
export function fill(text: string, values: Readonly<Record<string, unknown>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (Object.hasOwn(values, name) ? String(values[name]) : whole));
}
