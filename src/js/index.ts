/**
 * The entry `pagehand`: everything most people need. Importing it does nothing.
 */
export type { AgUiContext, AgUiMessage, AgUiOptions } from "./ag-ui-options.js";
export type { Artifacts, Finalize } from "./artifacts.js";
export type { ConfirmRequest, FormRequest, RequestFields } from "./ask/asking.js";
export type { Policy, PolicyCall, PolicyDecision, PolicyRule } from "./ask/policy.js";
export type { Ending, Question, QuestionCall, QuestionKind, Refused, Taken } from "./ask/question.js";
export { asTool } from "./as-tool.js";
export type { AsToolOptions, Runnable, Unwrapped } from "./as-tool.js";
export type { ErrorCode, ErrorFamily } from "./codes.js";
export type { ListenOptions, Unsubscribe } from "./emitter.js";
export { PagehandError, SchemaValidationError, ToolExecutionError } from "./errors.js";
export type { Issue } from "./errors.js";
export type * from "./events.js";
export type { AnySchema, ArtifactsOf, FromSchema, InputOf, JsonSchema, OutputOf } from "./infer.js";
export type { Invocation, InvokeContext } from "./invoke.js";
export type { MaybePromise, WasmSource } from "./load.js";
export type { AgUiTransport, Approval, ApprovalAnswer, CommonOptions, EngineTransport, RuntimeOptions, Tuning } from "./options.js";
export type { Numbers } from "./parse.js";
export { createRuntime, init } from "./runtime.js";
export type { AgentTool, InvokeOptions, ResumeOptions, Runtime, SendOptions } from "./runtime.js";
export type { StandardIssue, StandardResult, StandardSchema } from "./standard-schema.js";
export type { Progress, Store, StoredRecord, Written } from "./store.js";
export { tool } from "./tool.js";
export type { InvalidInput, Tool, ToolAnnotations, ToolConfig, ToolContext, ToolEvent, ToolFields } from "./tool.js";
export type { Turn, TurnReport, TurnResult } from "./turn.js";
