/** Types of questions: the answer's from the schema, the handler's context, policies. */
import { type PolicyRule, type Question, type Taken, createRuntime, tool } from "pagehand";
import { ask, askInDialog, askUserTools, click, confirm } from "pagehand/ask";
import type { Equal, Expect } from "./equal.js";

const answer = ask({ title: "Who?", schema: { type: "object", properties: { name: { type: "string" }, age: { type: "integer" } }, required: ["name"] } });
export type Answer = Expect<Equal<Awaited<typeof answer>, { name: string; age?: number }>>;

const clicked = click({ title: "Go" }, async () => 3);
export type Clicked = Expect<Equal<Awaited<typeof clicked>, number>>;
export const sure: Promise<boolean> = confirm("Sure?");

export const greet = tool({
  name: "greet",
  approve: "once",
  grantFor: 60_000,
  editable: true,
  execute: async (_input, context) => {
    const { name } = await context.ask({ title: "Who?", schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } });
    const known: boolean = await context.confirm({ title: `Is it ${name}?`, submitLabel: "It is" });
    return { name, known };
  },
});

export const rules: PolicyRule[] = [{ tool: "cart.*", when: ({ sum }: { sum: number }) => sum > 5, decision: "ask" }];
// @ts-expect-error there is no such decision
export const wrong: PolicyRule = { decision: "maybe" };

export const runtime = createRuntime({
  engine: "https://engine.test",
  agent: "a",
  tools: [greet, ...askUserTools({ maxFields: 5 })],
  policy: ({ tool: { name }, input }) => (name === "x" && input ? "deny" : undefined),
  ask: askInDialog({ texts: { submit: "Senden" }, theme: "dark" }),
});
void runtime.then(async ({ questions, on }) => {
  for (const question of questions) {
    const one: Question = question;
    const taken: Taken = await one.answer(true);
    if (!taken.ok) taken.code satisfies "invalid" | "unavailable" | "over";
  }
  on("question", ({ state }) => state satisfies "asked" | "answered" | "declined" | "withdrawn" | "expired");
});
