/**
 * Controls that choose: one of few (radio buttons), one of many (a list that opens), some of many (boxes).
 */
import type { Field } from "../fields.js";
import { make, set } from "../make.js";
import { same } from "../values.js";
import { ABSENT, type Control, type Place, type Sheet, frame, initialOf } from "./control.js";

type Kind<Name> = Field & { kind: Name };

/** So many are shown at once. */
const FEW = 5;

/** A way to choose one of some labels, and to read which. */
export interface Chooser {
  readonly element: HTMLElement;
  /** The number of the option; -1 where none is chosen. */
  chosen(): number;
  flag(message: string | undefined): void;
  focus(): void;
}

/** Radio buttons for few, a list that opens for many. Without `required` there is a way back to none. */
export function chooser(sheet: Sheet, field: Field, place: Place, labels: readonly string[], first: number, changed: () => void): Chooser {
  return labels.length <= FEW ? radios(sheet, field, place, labels, first, changed) : list(sheet, field, place, labels, first, changed);
}

function radios(sheet: Sheet, field: Field, place: Place, labels: readonly string[], first: number, changed: () => void): Chooser {
  const around = frame(sheet, field, place);
  const group = make("div", { part: "options", class: "options", role: "radiogroup", "aria-required": place.required && "true" });
  const name = sheet.id();
  const offered = place.required && !field.nullable ? [...labels] : [...labels, sheet.texts.noAnswer];
  const inputs = offered.map((label, index) => {
    const id = sheet.id();
    const input = make("input", { part: "radio", type: "radio", name, id });
    input.checked = index === first || (first < 0 && index === labels.length);
    input.addEventListener("change", changed);
    group.append(make("div", { part: "option", class: "option" }, input, make("label", { part: "option-label", for: id }, label)));
    return input;
  });
  around.describes(group, true);
  return {
    element: around.element,
    chosen: () => {
      const index = inputs.findIndex((input) => input.checked);
      return index < labels.length ? index : -1;
    },
    flag: around.flag,
    focus: () => (inputs.find((input) => input.checked) ?? inputs[0])?.focus(),
  };
}

function list(sheet: Sheet, field: Field, place: Place, labels: readonly string[], first: number, changed: () => void): Chooser {
  const id = sheet.id();
  const around = frame(sheet, field, place, id);
  const select = make("select", { part: "input", id, "aria-required": place.required && "true" });
  select.append(new Option(place.required ? sheet.texts.choose : sheet.texts.noAnswer, "", first < 0, first < 0));
  for (const [index, label] of labels.entries()) select.append(new Option(label, String(index), index === first, index === first));
  select.addEventListener("change", changed);
  around.describes(select);
  return {
    element: around.element,
    chosen: () => (select.value === "" ? -1 : Number(select.value)),
    flag: around.flag,
    focus: () => select.focus(),
  };
}

export function choiceControl(sheet: Sheet, field: Kind<"choice">, place: Place): Control {
  const initial = initialOf(field, place);
  const { options } = field;
  const first = initial === undefined ? -1 : options.findIndex((option) => same(option.value, initial));
  const choice = chooser(sheet, field, place, options.map((option) => option.label), first, () => sheet.changed());
  const control: Control = {
    element: choice.element,
    field,
    blank: () => choice.chosen() < 0,
    find: () => control,
    flag: choice.flag,
    focus: choice.focus,
    read: () => {
      const option = options[choice.chosen()];
      if (option) return option.value;
      return field.nullable && (place.required || initial === null) ? null : ABSENT;
    },
  };
  return control;
}

/** Boxes: the answer is a list, in the order of the options. */
export function choicesControl(sheet: Sheet, field: Kind<"choices">, place: Place): Control {
  const initial = initialOf(field, place);
  const given: unknown[] = Array.isArray(initial) ? initial : [];
  const around = frame(sheet, field, place);
  const group = make("div", { part: "options", class: "options", role: "group" });
  const boxes = field.options.map((option) => {
    const id = sheet.id();
    const box = make("input", { part: "checkbox", type: "checkbox", id });
    box.checked = given.some((one) => same(one, option.value));
    box.addEventListener("change", () => sheet.changed());
    group.append(make("div", { part: "option", class: "option" }, box, make("label", { part: "option-label", for: id }, option.label)));
    return box;
  });
  around.describes(group, true);
  const control: Control = {
    element: around.element,
    field,
    blank: () => !boxes.some((box) => box.checked),
    find: () => control,
    flag: (message) => {
      around.flag(message);
      for (const box of boxes) set(box, { "aria-invalid": message !== undefined && "true" });
    },
    focus: () => boxes[0]?.focus(),
    read: () => {
      const chosen = field.options.filter((_, index) => boxes[index]?.checked).map((option) => option.value);
      // In the order they were given, where nothing was changed.
      if (Array.isArray(initial) && chosen.length === given.length && chosen.every((value) => given.some((one) => same(one, value)))) return initial;
      return chosen.length > 0 || place.required ? chosen : ABSENT;
    },
  };
  return control;
}
