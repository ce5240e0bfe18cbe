/**
 * From a field to its control.
 */
import type { Field } from "../fields.js";
import { choiceControl, choicesControl } from "./choice.js";
import type { Control, Place, Sheet } from "./control.js";
import { branchesControl, groupControl, listControl } from "./nested.js";
import { booleanControl, constantControl, jsonControl, numberControl, textControl } from "./single.js";

/** Builds the control of a field and those inside it. */
export function build(sheet: Sheet, field: Field, place: Place): Control {
  switch (field.kind) {
    case "text":
      return textControl(sheet, field, place);
    case "number":
      return numberControl(sheet, field, place);
    case "boolean":
      return booleanControl(sheet, field, place);
    case "constant":
      return constantControl(sheet, field, place);
    case "choice":
      return choiceControl(sheet, field, place);
    case "choices":
      return choicesControl(sheet, field, place);
    case "list":
      return listControl(sheet, field, place);
    case "group":
      return groupControl(sheet, field, place);
    case "branches":
      return branchesControl(sheet, field, place);
    case "json":
      return jsonControl(sheet, field, place);
  }
}
