/**
 * What parts that load later are given of the first load. They import nothing of it themselves: a bundler would
 * make of every module that both import a download of its own, for every page.
 */
import { checksOf } from "./checks.js";
import { guard } from "./emitter.js";
import { PagehandError, SchemaValidationError, ToolExecutionError, messageOf } from "./errors.js";
import type { ForeignReport, ToolReport } from "./events.js";
import { blankReport, labelOf } from "./invoke.js";
import { WasmFile } from "./load.js";
import { machinesOf } from "./machines.js";
import { parseOr } from "./parse.js";
import { validate } from "./shape.js";

/** Reports of what a run started itself, by the context the run was given. @internal */
export const nested = new WeakMap<object, (ToolReport | ForeignReport)[]>();

/** The first load's part of it. @internal */
export const given = {
  PagehandError,
  SchemaValidationError,
  ToolExecutionError,
  WasmFile,
  blankReport,
  checksOf,
  guard,
  labelOf,
  machinesOf,
  messageOf,
  nested,
  parseOr,
  validate,
};

/** @internal */
export type Given = typeof given;
