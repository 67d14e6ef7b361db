/** The exports of the package's runtime besides `AgentRuntime`. */
export type { Credentials } from '../credentials.js';
export type { LogEntry, MetricEntry } from '../models.js';
export type { AgentRun, ClaimedRun, RunHandler, RunProgress } from './agent-run.js';
export type { OwnRunOptions } from './agent-runs.js';
export {
  type ApprovalDecision,
  type ApprovalQuestion,
  ArgumentsChangedError,
  type DecidedState,
  NotApprovedError,
} from './approval-decision.js';
export type { LlmCall, LlmUsage } from './run-spans.js';
export type { SpanKind } from './otlp-span.js';
export type { BufferLimits } from './bounded-buffer.js';
export type { Cause, DesiredState } from './desired-state.js';
export type { DeploymentCondition, LastExit } from './reports.js';
export {
  ForeignStateError,
  type Interruption,
  KeyRefusedError,
  RunInterruptedError,
  StateDirectoryError,
} from './runtime-errors.js';
export type { EventListener, RuntimeEvent } from './runtime-events.js';
export type { AgentRuntimeOptions } from './runtime-options.js';
