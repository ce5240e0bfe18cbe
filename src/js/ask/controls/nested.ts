/**
 * Controls that hold others: groups of named parts, lists, and ways a value may go.
 */
import { type Field, fieldOf } from "../fields.js";
import { make, set } from "../make.js";
import { fill } from "../texts.js";
import { ABSENT, type Control, type Place, type Reading, type Sheet, initialOf } from "./control.js";
import { chooser } from "./choice.js";

type Kind<Name> = Field & { kind: Name };

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads what must be there: what was left out is a problem. */
export function readRequired(sheet: Sheet, control: Control, reading: Reading): unknown {
  const before = reading.problems.length;
  const value = control.read(reading);
  if (value === ABSENT && reading.problems.length === before) reading.problems.push({ control, message: sheet.texts.problems["required"] ?? "" });
  return value;
}

/** A fieldset with its legend, or for a whole form none. */
function around(sheet: Sheet, field: Field, place: Place): { element: HTMLElement; flag(message: string | undefined): void; hold(...nodes: Node[]): void; focus(): void } {
  const helpId = sheet.id();
  const errorId = sheet.id();
  const mark = place.required && !place.whole ? make("span", { part: "mark", "aria-hidden": "true" }, " *") : undefined;
  const legend = place.whole ? undefined : make("legend", { part: "legend" }, place.label ?? field.label, mark);
  const help = field.help === undefined || place.whole ? undefined : make("p", { part: "help", id: helpId }, field.help);
  const error = make("p", { part: "error", id: errorId, hidden: true });
  const element = place.whole ? make("div", { class: "parts" }, error) : make("fieldset", { part: "group", tabindex: "-1", "aria-describedby": help && helpId }, legend, help, error);
  return {
    element,
    focus: () => element.focus(),
    hold: (...nodes) => nodes.forEach((node) => element.insertBefore(node, error)),
    flag: (message) => {
      error.textContent = message ?? "";
      error.hidden = message === undefined;
      if (!place.whole) set(element, { "aria-describedby": [help && helpId, message !== undefined && errorId].filter(Boolean).join(" ") || undefined });
    },
  };
}

export function groupControl(sheet: Sheet, field: Kind<"group">, place: Place): Control {
  const initial = initialOf(field, place);
  const given = isRecord(initial) ? initial : {};
  const frame = around(sheet, field, place);
  const names = field.parts.map((part) => part.name);
  const own = (name: string): unknown => (Object.hasOwn(given, name) ? given[name] : undefined);
  const parts = field.parts.map((part) => ({ ...part, control: sheet.build(part.field, { required: part.required, initial: own(part.name) }) }));
  // What is there and has no field of its own must be seen, and must not be lost.
  const others = Object.keys(given).filter((name) => !names.includes(name));
  const rest = others.length > 0 ? sheet.build(fieldOf(true, sheet.texts.others), { required: false, initial: Object.fromEntries(others.map((name) => [name, own(name)])) }) : undefined;
  frame.hold(...parts.map((part) => part.control.element), ...(rest ? [rest.element] : []));
  const control: Control = {
    element: frame.element,
    field,
    flag: frame.flag,
    blank: () => parts.every((part) => part.control.blank()) && (rest?.blank() ?? true),
    focus: () => (place.whole ? (parts.find((part) => part.field.kind !== "constant")?.control ?? rest)?.focus() : frame.focus()),
    find: ([step, ...path]) => (step === undefined ? control : (parts.find((part) => part.name === step)?.control.find(path) ?? (rest && others.includes(step) ? rest : control))),
    read: (reading) => {
      if (!place.required && control.blank() && initial === undefined) return ABSENT;
      if (field.nullable && control.blank()) return null;
      // A property may have any name, `__proto__` too.
      const value: [string, unknown][] = [];
      for (const part of parts) {
        const found = part.required ? readRequired(sheet, part.control, reading) : part.control.read(reading);
        if (found !== ABSENT) value.push([part.name, found]);
      }
      const more = rest?.read(reading);
      return Object.fromEntries(isRecord(more) ? [...value, ...Object.entries(more)] : value);
    },
  };
  return control;
}

export function listControl(sheet: Sheet, field: Kind<"list">, place: Place): Control {
  const { texts } = sheet;
  const initial = initialOf(field, place);
  const given: unknown[] = Array.isArray(initial) ? initial : [];
  const least = typeof field.keywords["minItems"] === "number" ? field.keywords["minItems"] : 0;
  const most = typeof field.keywords["maxItems"] === "number" ? field.keywords["maxItems"] : Infinity;
  const item = field.item.label || (place.label ?? field.label);
  const frame = around(sheet, field, { ...place, whole: false, label: place.label ?? (field.label || item) });
  const rows: { control: Control; element: HTMLElement; remove: HTMLButtonElement }[] = [];
  const held = make("div", { part: "list", class: "parts" });
  const add = make("button", { part: "button add", type: "button" }, fill(texts.add, { item }));
  frame.hold(held, add);

  const number = (): void => {
    for (const [index, row] of rows.entries()) {
      row.remove.setAttribute("aria-label", fill(texts.remove, { item, number: index + 1 }));
      row.element.setAttribute("aria-label", `${item} ${index + 1}`);
      row.remove.disabled = place.required && rows.length <= least;
    }
    add.disabled = rows.length >= most;
  };
  const put = (value: unknown): Control => {
    const control = sheet.build(field.item, { required: true, initial: value, label: item });
    const remove = make("button", { part: "button remove", type: "button" }, "×");
    const row = { control, remove, element: make("div", { part: "item", class: "item", role: "group" }, control.element, remove) };
    remove.addEventListener("click", () => {
      const index = rows.indexOf(row);
      rows.splice(index, 1);
      row.element.remove();
      number();
      sheet.say(fill(texts.removed, { item, number: index + 1 }));
      sheet.changed();
      (rows[Math.min(index, rows.length - 1)]?.control ?? { focus: () => add.focus() }).focus();
    });
    rows.push(row);
    held.append(row.element);
    return control;
  };
  for (const value of given) put(value);
  while (place.required && rows.length < Math.min(least, 50)) put(undefined);
  number();
  add.addEventListener("click", () => {
    const control = put(undefined);
    number();
    sheet.say(fill(texts.added, { item, number: rows.length }));
    sheet.changed();
    control.focus();
  });
  const control: Control = {
    element: frame.element,
    field,
    flag: frame.flag,
    blank: () => rows.every((row) => row.control.blank()),
    focus: () => (rows[0]?.control ?? { focus: () => add.focus() }).focus(),
    find: ([step, ...path]) => (step === undefined ? control : (rows[Number(step)]?.control.find(path) ?? control)),
    read: (reading) => {
      if (rows.length === 0 && !place.required && !Array.isArray(initial)) return ABSENT;
      const values = rows.map((row) => (reading.draft ? row.control.read(reading) : readRequired(sheet, row.control, reading)));
      return reading.draft ? values.map((value) => (value === ABSENT ? null : value)) : values;
    },
  };
  return control;
}

/** The way is chosen by its name; what it asks for is below. */
export function branchesControl(sheet: Sheet, field: Kind<"branches">, place: Place): Control {
  const initial = initialOf(field, place);
  const { branches } = field;
  const first = initial === undefined || initial === null ? (place.required && !field.nullable ? 0 : -1) : Math.max(branches.findIndex((branch) => suits(branch, initial)), 0);
  const frame = around(sheet, field, { ...place, label: place.label ?? (field.label || sheet.texts.kind) });
  const held = make("div", { part: "branch", class: "parts" });
  const built = new Map<number, Control>();
  const current = (): Control | undefined => {
    const index = choice.chosen();
    const branch = branches[index];
    if (!branch) return undefined;
    const known = built.get(index);
    if (known) return known;
    const made = sheet.build({ ...branch, help: undefined }, { required: true, initial: index === first ? initial : undefined, whole: branch.kind === "group" });
    built.set(index, made);
    return made;
  };
  const show = (): void => held.replaceChildren(...[current()?.element].filter((element) => element !== undefined));
  const kind: Field = { ...field, help: undefined, label: sheet.texts.kind };
  const labels = branches.map((branch) => branch.label);
  const choice = chooser(sheet, kind, { required: place.required && !field.nullable, initial: undefined, label: sheet.texts.kind }, labels, first, () => {
    show();
    sheet.changed();
  });
  frame.hold(choice.element, held);
  show();
  const control: Control = {
    element: frame.element,
    field,
    flag: frame.flag,
    blank: () => current()?.blank() ?? true,
    focus: choice.focus,
    find: (path) => {
      const found = path.length === 0 ? undefined : current()?.find(path);
      return found ?? control;
    },
    read: (reading) => {
      const branch = current();
      if (branch) return readRequired(sheet, branch, reading);
      return field.nullable && (place.required || initial === null) ? null : ABSENT;
    },
  };
  return control;
}

/** Whether a value looks like one of a branch: its constants and its type are those of the branch. */
function suits(field: Field, value: unknown): boolean {
  switch (field.kind) {
    case "group":
      return isRecord(value) && field.parts.every((part) => (part.field.kind === "constant" ? value[part.name] === part.field.value : !part.required || part.name in value));
    case "constant":
      return field.value === value;
    case "list":
    case "choices":
      return Array.isArray(value);
    case "number":
      return typeof value === "number" || typeof value === "bigint";
    case "text":
      return typeof value === "string";
    case "boolean":
      return typeof value === "boolean";
    case "choice":
      return field.options.some((option) => option.value === value);
    default:
      return true;
  }
}

