import type { DesiredState } from '@agent-control-plane/client/runtime';
import type { ProcessConfig } from './process-config.js';

/** Why all work of a deployment ends. */
export type WorkEnd = 'stopped' | 'runner_ended';

export interface Measured {
  /** By `performance.now()`. */
  readonly since: number;
  readonly custom: Readonly<Record<string, number>>;
}

/** The processes of one deployment: one for each replica, or one for each run. */
export interface DeploymentWork {
  readonly id: string;
  readonly kind: 'replicas' | 'runs';
  /** Brings them into a state. @throws if a deploy or restart can't start its command */
  bring(desired: DesiredState, config: ProcessConfig): Promise<void>;
  /** Ends all of them and waits for their end; each has its grace period. */
  endAll(graceMs?: number, why?: WorkEnd): Promise<void>;
  killNow(): void;
  pids(): number[];
  /** Undefined: nothing runs that could be measured. */
  measured(): Measured | undefined;
}
