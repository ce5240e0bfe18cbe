/**
 * Controls of one value: texts, numbers, JSON, boxes, constants.
 */
import type { Field } from "../fields.js";
import { plain } from "../fields.js";
import { make, set } from "../make.js";
import { jsonOf, localMoment, localTime, momentOf, numberOf, timeOf } from "../values.js";
import { ABSENT, type Control, type Place, type Sheet, frame, initialOf } from "./control.js";

type Kind<Name> = Field & { kind: Name };

/** What is typed: how it looks at first, and what it means. `refuse` gives the keyword of what is wrong. */
interface Typed {
  readonly input: HTMLInputElement | HTMLTextAreaElement;
  readonly secret?: boolean;
  show(value: unknown): string | undefined;
  mean(text: string): unknown;
  refuse(text: string): string | undefined;
}

function typed(sheet: Sheet, field: Field, place: Place, id: string, how: Typed): Control {
  const { input } = how;
  const initial = initialOf(field, place);
  const given = initial === undefined || initial === null ? undefined : how.show(initial);
  input.value = given ?? "";
  // What an input has no way to show is shown as the text that it is.
  if (given !== undefined && input.value !== given && input instanceof HTMLInputElement) set(input, { type: "text", value: given });
  if (given !== undefined) input.value = given;
  const began = input.value;
  const around = frame(sheet, field, place, id);
  set(input, { id, "aria-required": place.required && "true" });
  around.describes(input);
  input.addEventListener("input", () => sheet.changed());
  const control: Control = {
    element: around.element,
    field,
    blank: () => input.value === "" && !(input instanceof HTMLInputElement && input.validity.badInput),
    find: () => control,
    flag: around.flag,
    focus: () => input.focus(),
    read(reading) {
      const { value } = input;
      if (how.secret && reading.draft) return ABSENT;
      // What was given and not touched goes back as it was, to the last digit.
      if (given !== undefined && value === began) return initial;
      if (control.blank()) {
        if (field.nullable && (place.required || initial === null)) return null;
        return place.required && field.kind === "text" && field.keywords["minLength"] === 0 ? "" : ABSENT;
      }
      const wrong = input instanceof HTMLInputElement && input.validity.badInput ? "number" : how.refuse(value);
      if (wrong === undefined) return how.mean(value);
      reading.problems.push({ control, message: sheet.texts.problems[wrong] ?? sheet.texts.problems["other"] ?? wrong });
      return ABSENT;
    },
  };
  return control;
}

export function textControl(sheet: Sheet, field: Kind<"text">, place: Place): Control {
  const initial = initialOf(field, place);
  const several = field.look === "multiline" || (field.look === "text" && typeof initial === "string" && initial.includes("\n"));
  const input = several ? make("textarea", { part: "input", rows: "4" }) : make("input", { part: "input", type: field.look, autocomplete: field.look === "password" ? "off" : undefined });
  if (field.look === "datetime-local" || field.look === "time") set(input, { step: "1" });
  return typed(sheet, field, place, sheet.id(), {
    input,
    secret: field.look === "password",
    show: (value) => {
      if (typeof value !== "string") return plain(value);
      if (input instanceof HTMLInputElement && input.type === "datetime-local") return localMoment(value) || value;
      if (input instanceof HTMLInputElement && input.type === "time") return localTime(value) || value;
      return value;
    },
    mean: (text) => (input.type === "datetime-local" ? momentOf(text) : input.type === "time" ? timeOf(text) : text),
    refuse: () => (input.validity.typeMismatch ? (input.type === "email" ? "email" : "url") : undefined),
  });
}

export function numberControl(sheet: Sheet, field: Kind<"number">, place: Place): Control {
  const { minimum, maximum } = field.keywords;
  const limit = (value: unknown) => (typeof value === "number" ? String(value) : undefined);
  const input = make("input", { part: "input", type: "number", step: field.whole ? "1" : "any", min: limit(minimum), max: limit(maximum) });
  return typed(sheet, field, place, sheet.id(), {
    input,
    show: plain,
    mean: numberOf,
    refuse: (text) => (numberOf(text) === undefined ? "number" : undefined),
  });
}

export function jsonControl(sheet: Sheet, field: Kind<"json">, place: Place): Control {
  const input = make("textarea", { part: "input json", class: "json", rows: "5", spellcheck: "false", autocapitalize: "off", dir: "ltr" });
  const label = place.label ?? field.label;
  return typed(sheet, field, { ...place, label: label ? `${label} (${sheet.texts.json})` : sheet.texts.json }, sheet.id(), {
    input,
    show: (value) => jsonOf(value),
    mean: (text) => sheet.parse(text),
    refuse: (text) => {
      try {
        sheet.parse(text);
        return undefined;
      } catch {
        return "json";
      }
    },
  });
}

/** A box to tick. One that was never touched and need not be there is left out. */
export function booleanControl(sheet: Sheet, field: Kind<"boolean">, place: Place): Control {
  const initial = initialOf(field, place);
  const id = sheet.id();
  const box = make("input", { part: "checkbox", type: "checkbox", id });
  box.checked = initial === true;
  let touched = typeof initial === "boolean";
  const around = frame(sheet, field, { ...place, required: place.required && field.keywords["const"] === true }, id, { class: "field boxed" });
  around.describes(box);
  // The box stands before its words.
  around.element.prepend(box);
  if (field.keywords["const"] === true && place.required) set(box, { "aria-required": "true" });
  box.addEventListener("change", () => {
    touched = true;
    sheet.changed();
  });
  const control: Control = {
    element: around.element,
    field,
    blank: () => !touched,
    find: () => control,
    flag: around.flag,
    focus: () => box.focus(),
    read: () => {
      if (field.nullable && !touched) return place.required || initial === null ? null : ABSENT;
      return place.required || touched ? box.checked : ABSENT;
    },
  };
  return control;
}

/** What has one value alone is shown, not asked. */
export function constantControl(sheet: Sheet, field: Kind<"constant">, place: Place): Control {
  const around = frame(sheet, field, { ...place, required: false });
  around.describes(make("output", { part: "constant" }, plain(field.value)), true);
  const control: Control = {
    element: around.element,
    field,
    blank: () => true,
    find: () => control,
    flag: around.flag,
    focus: () => undefined,
    read: () => field.value,
  };
  return control;
}
