import type { LogEntry, MetricEntry } from '@agent-control-plane/client';
import type { DeploymentCondition, EventListener } from '@agent-control-plane/client/runtime';
import type { Foreground } from '../foreground.js';
import type { Admission } from '../policy/admission.js';
import type { AgentRuns } from '../runs/agent-runs.js';
import type { AccountEntry } from './account-entry.js';

/** Receives the events of the processes. */
export interface RunnerEvents {
  log(entry: LogEntry): void;
  metric(entry: MetricEntry): void;
  report(deploymentId: string, condition: DeploymentCondition): void;
  fail(deploymentId: string, reason: string): Promise<void>;
  complete(deploymentId: string, generation: number): Promise<void>;
}

export interface ProcessRunnerOptions {
  /** Directory of the records and pipes of processes. */
  readonly directory: string;
  /**
   * All variables of a process: those that it inherits, those of the config, and those that say which process it is, which come
   * before the others.
   */
  readonly environmentOf: (
    configured: Readonly<Record<string, string>>,
    own: Readonly<Record<string, string | undefined>>,
  ) => NodeJS.ProcessEnv;
  /** The entry to the account of all processes; undefined: the runner's own. */
  readonly as: AccountEntry | undefined;
  readonly metricsIntervalMs: number;
  /** Judges each start. */
  readonly admission: Admission;
  readonly runs: AgentRuns;
  readonly news: RunnerEvents;
  readonly onEvent: EventListener;
  /** The command that waits for the program; undefined: a process that ends is started again. */
  readonly foreground: Foreground | undefined;
}
