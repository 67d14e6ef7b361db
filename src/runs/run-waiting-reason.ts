import type { RunEntity } from './run.entity.js';

/** The facts that decide whether a queued run may be begun. */
export interface RunWaitingFacts {
  /** Time of the last call of its agent; null: there was none. */
  readonly lastSeenAt: string | null;
  readonly isOnline: boolean;
  readonly hasActiveDeployment: boolean;
  /** True: a pause holds the agent's active deployments. */
  readonly isPaused: boolean;
  /** The budget that keeps the agent from being started, and when its period ends; null: none does. */
  readonly budgetName: string | null;
  readonly budgetUntil: string | null;
  /** Number of runs that the agent's runtime has. */
  readonly held: number;
  /** True: an earlier run of its schedule has not ended, and it waits for that. */
  readonly isBehindAnother: boolean;
  /** Time of the database's clock. */
  readonly now: string;
}

/** Why a queued run has not been begun, for a person to read. Pure. */
export function runWaitingReason(
  { availableAt }: Pick<RunEntity, 'availableAt'>,
  facts: RunWaitingFacts,
): string {
  const { lastSeenAt, isOnline, hasActiveDeployment, isPaused, held, isBehindAnother, now } = facts;
  const { budgetName, budgetUntil } = facts;
  if (Date.parse(availableAt) > Date.parse(now)) return `starts at ${availableAt} or later`;
  if (budgetName !== null) return `the agent's budget "${budgetName}" is used up until ${budgetUntil}`;
  if (!hasActiveDeployment) return 'the agent has no active deployment';
  if (isPaused) return 'the agent is paused';
  if (lastSeenAt === null) return 'the agent has never connected';
  if (!isOnline) return `agent offline since ${lastSeenAt}`;
  if (isBehindAnother) return 'waiting for an earlier run of the same schedule to end';
  if (held > 0) return `waiting for a free slot: the agent has ${held} ${held === 1 ? 'run' : 'runs'}`;
  return 'waiting for the agent to take the run';
}
