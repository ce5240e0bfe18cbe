/**
 * What the page tools take and give, as JSON Schemas, and what a model is told of each. Data alone.
 */
import type { JsonSchema } from "./infer.js";
import type { ToolAnnotations } from "./tool.js";

/** One tool's declaration. @internal */
export interface PageToolSpec {
  readonly description: string;
  /** What it is doing, for people. */
  readonly action: string;
  readonly input: JsonSchema;
  readonly output: JsonSchema;
  readonly annotations: ToolAnnotations;
}

const ref = { type: "string", description: "The ref of an element, from read_page or find." } as const;
const text = (description: string) => ({ type: "string", description }) as const;
const flag = (description: string) => ({ type: "boolean", description }) as const;
const count = (description: string, minimum: number, maximum: number) => ({ type: "integer", description, minimum, maximum }) as const;
const input = (properties: Record<string, JsonSchema>, required: readonly string[] = []): JsonSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

/** Text for the model, whose first line says that the rest comes from the page. */
const page: JsonSchema = { type: "string" };

/** What a tool that acts gives. */
const acted: JsonSchema = {
  type: "object",
  properties: {
    done: text("What was done."),
    ref: text("The element it was done to."),
    role: text("Its role."),
    name: text("Its name now."),
    value: text("What it holds now; secrets are masked."),
    note: text("What else there is to know."),
    untrusted: text("Says which of these fields hold text of the page."),
  },
  required: ["done", "untrusted"],
  additionalProperties: false,
};

const reads: ToolAnnotations = { readOnly: true, idempotent: true, untrusted: true };

/** What it leads to depends on the page. */
const acts: ToolAnnotations = { destructive: true, untrusted: true };
const harmless: ToolAnnotations = { idempotent: true, untrusted: true };

/** The names of the tools. */
export type PageToolName =
  | "read_page"
  | "find"
  | "click"
  | "hover"
  | "fill"
  | "select"
  | "check"
  | "press"
  | "scroll"
  | "wait_for"
  | "highlight"
  | "submit"
  | "navigate"
  | "get_selection";

/** The tools. @internal */
export const pageToolSpecs: Record<PageToolName, PageToolSpec> = {
  read_page: {
    description:
      "Reads the page as an outline of roles, names, values and states. Each element has a ref such as bkt12 for the other tools. " +
      "After acting, use changes to see only what is different.",
    action: "Reading the page",
    input: input({
      ref: { ...ref, description: "Reads only this element and what is in it." },
      viewport: flag("Reads only what is in the window now."),
      changes: flag("Tells only what changed since this was last read."),
      limit: count("About how many characters to give at most; what matters least is left out. Default 12000.", 200, 200_000),
    }),
    output: page,
    annotations: reads,
  },
  find: {
    description: "Finds elements on the page by what they say, by role or by name, and gives their refs.",
    action: "Looking on the page",
    input: input({
      text: text("Part of the element's text, name or value, whatever the case."),
      role: text("An ARIA role such as button, link, textbox, heading, or text."),
      name: text("Part of the element's name."),
      limit: count("How many to give at most. Default 20.", 1, 200),
    }),
    output: page,
    annotations: reads,
  },
  click: {
    description: "Clicks an element as a person does. A link or form that leads to another page is followed once this is answered.",
    action: "Clicking",
    input: input(
      {
        ref,
        count: count("How often, quickly. Default 1.", 1, 3),
        button: { type: "string", enum: ["left", "middle", "right"], description: "Default left." },
      },
      ["ref"],
    ),
    output: acted,
    annotations: acts,
  },
  hover: {
    description: "Moves the pointer over an element, for what shows only then.",
    action: "Pointing",
    input: input({ ref }, ["ref"]),
    output: acted,
    annotations: harmless,
  },
  fill: {
    description:
      "Replaces what a text field, editor, date, number, color or range holds, and tells if the page did not take it. " +
      "Dates are YYYY-MM-DD, times HH:MM, colors #rrggbb.",
    action: "Filling a field",
    input: input({ ref, value: text("The new content; empty to clear it.") }, ["ref", "value"]),
    output: acted,
    annotations: harmless,
  },
  select: {
    description: "Chooses options of a list, native or built by the page, by what they say.",
    action: "Choosing",
    input: input(
      { ref, options: { type: "array", items: { type: "string" }, maxItems: 100, description: "The options that are to be chosen, all of them, as they are written." } },
      ["ref", "options"],
    ),
    output: acted,
    annotations: harmless,
  },
  check: {
    description: "Switches a checkbox, a radio button or a switch on or off.",
    action: "Switching",
    input: input({ ref, checked: flag("Whether it is to be on. Default true.") }, ["ref"]),
    output: acted,
    annotations: harmless,
  },
  press: {
    description: "Presses a key where the focus is, or in an element: Enter, Tab, Escape, ArrowDown, a, Control+A.",
    action: "Pressing a key",
    input: input(
      {
        key: text("One character or the name of a key, with what is held before it: Control+Shift+K."),
        ref: { ...ref, description: "The element that gets the focus first. Without it, the focus stays where it is." },
        times: count("How often. Default 1.", 1, 50),
      },
      ["key"],
    ),
    output: acted,
    annotations: acts,
  },
  scroll: {
    description: "Brings an element into view, or scrolls the page (or what an element is in) by a part of the window.",
    action: "Scrolling",
    input: input({
      ref: { ...ref, description: "What to bring into view; with direction, what is in the part to scroll." },
      direction: { type: "string", enum: ["up", "down", "left", "right"], description: "Where to scroll to." },
      pages: { type: "number", minimum: 0.1, maximum: 100, description: "How many windows far. Default 0.8." },
    }),
    output: acted,
    annotations: harmless,
  },
  wait_for: {
    description: "Waits until the page shows a text or an element, until that is gone, or until the page holds still.",
    action: "Waiting for the page",
    input: input({
      text: text("The text that is awaited, or awaited to be gone."),
      ref: { ...ref, description: "The element that is awaited to be visible, or to be gone." },
      gone: flag("Whether it is to be gone."),
      idle: flag("Whether the page is to hold still, whatever it shows."),
      timeout: count("How long to wait at most, in milliseconds. Default 5000.", 0, 60_000),
    }),
    output: acted,
    annotations: reads,
  },
  highlight: {
    description: "Marks an element for the person at the page, for some seconds.",
    action: "Pointing something out",
    input: input({ ref, seconds: { type: "number", minimum: 0.5, maximum: 60, description: "How long. Default 4." } }, ["ref"]),
    output: acted,
    annotations: harmless,
  },
  submit: {
    description: "Sends a form as its button would, if the browser finds the fields valid; else tells what is wrong with them.",
    action: "Sending a form",
    input: input({ ref: { ...ref, description: "The form, or something in it." } }, ["ref"]),
    output: acted,
    annotations: acts,
  },
  navigate: {
    description: "Goes to another page of this site, back or forward, or loads the page again. Refs end with the page.",
    action: "Going to another page",
    input: input({ to: text("An address of this site, absolute or relative, or one of back, forward, reload.") }, ["to"]),
    output: acted,
    annotations: acts,
  },
  get_selection: {
    description: "Gives what the person at the page has selected, and where.",
    action: "Looking at the selection",
    input: input({}),
    output: page,
    annotations: reads,
  },
};
