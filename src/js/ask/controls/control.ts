/**
 * What every control of a form is, and the frame of label, help and error around one.
 */
import type { Field } from "../fields.js";
import { type Attributes, make, set } from "../make.js";
import type { Texts } from "../texts.js";

/** What a control gives that was left out. */
export const ABSENT: unique symbol = Symbol("absent");

/** Something that is wrong with a control, found before the validator is asked. */
export interface Problem {
  readonly control: Control;
  readonly message: string;
}

/** One reading of a form. */
export interface Reading {
  readonly problems: Problem[];
  /** Only to be kept: problems do not matter and secrets are left out. */
  readonly draft: boolean;
}

/** One control and those inside it. */
export interface Control {
  readonly element: HTMLElement;
  readonly field: Field;
  /** The value as it would travel, or {@link ABSENT}. */
  read(reading: Reading): unknown;
  /** Whether nothing was filled in. */
  blank(): boolean;
  /** The control a path leads to, or the nearest there is on the way. */
  find(path: readonly string[]): Control;
  /** Shows what is wrong, or that nothing is. */
  flag(message: string | undefined): void;
  focus(): void;
}

/** What a control is told about its place. */
export interface Place {
  /** Whether it must be filled in. */
  readonly required: boolean;
  /** What to begin with. */
  readonly initial: unknown;
  /** Another label than the field's own. */
  readonly label?: string | undefined;
  /** Whether it is the whole form, which has a title already. */
  readonly whole?: boolean | undefined;
}

/** What controls need of the form they are in. */
export interface Sheet {
  readonly texts: Texts;
  /** An id that is the form's own. */
  id(): string;
  /** Says something to those who listen to the page. */
  say(text: string): void;
  /** Something was typed or chosen. */
  changed(): void;
  /** JSON text to a value without losing a digit. Throws over what is none. */
  parse(text: string): unknown;
  build(field: Field, place: Place): Control;
}

/** What a value begins with: what is given, else the default. */
export function initialOf(field: Field, place: Place): unknown {
  return place.initial !== undefined ? place.initial : field.initial;
}

/** Label, help and error. */
export interface Frame {
  readonly element: HTMLElement;
  readonly labelId: string;
  /** Marks what is to be described, once it is made. */
  describes(described: Element, labelled?: boolean): void;
  flag(message: string | undefined): void;
}

/** The frame of one control: `named` makes the label that of an input by its id. */
export function frame(sheet: Sheet, field: Field, place: Place, inputId?: string, attributes: Attributes = {}): Frame {
  const labelId = sheet.id();
  const helpId = sheet.id();
  const errorId = sheet.id();
  const words = place.label ?? field.label;
  const mark = place.required ? make("span", { part: "mark", "aria-hidden": "true" }, " *") : undefined;
  const label = inputId === undefined ? make("div", { part: "label", id: labelId }, words, mark) : make("label", { part: "label", id: labelId, for: inputId }, words, mark);
  const help = field.help === undefined ? undefined : make("p", { part: "help", id: helpId }, field.help);
  const error = make("p", { part: "error", id: errorId, hidden: true });
  const element = make("div", { part: "field", class: "field", ...attributes }, label, help, error);
  const described: Element[] = [];
  const show = (message: string | undefined): void => {
    error.textContent = message ?? "";
    error.hidden = message === undefined;
    const by = [help && helpId, message !== undefined && errorId].filter(Boolean).join(" ");
    for (const one of described) {
      const group = one.getAttribute("role") === "group";
      set(one, { "aria-describedby": by || undefined, ...(group ? {} : { "aria-invalid": message !== undefined && "true", "aria-errormessage": message !== undefined && errorId }) });
    }
  };
  return {
    element,
    labelId,
    describes(one, labelled = false) {
      described.push(one);
      if (labelled) one.setAttribute("aria-labelledby", labelId);
      element.insertBefore(one, error);
      show(undefined);
    },
    flag: show,
  };
}
