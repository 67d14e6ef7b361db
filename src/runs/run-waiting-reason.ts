import type { AgentPresence } from '../agents/agent.types.js';
import type { RunEntity } from './run.entity.js';

/** What decides whether a queued run may be begun. */
export interface RunWaitingFacts {
  readonly presence: AgentPresence;
  readonly hasActiveDeployment: boolean;
  /** Number of runs that the agent's runtime has. */
  readonly held: number;
  /** True: an earlier run of its schedule has not ended, and it waits for that. */
  readonly isBehindAnother: boolean;
  readonly now: Date;
}

/** Why a run has not been begun, or why its agent waits, for a person to read; null: it waits for nothing. Pure. */
export function runWaitingReason(
  run: Pick<RunEntity, 'status' | 'waitingReason' | 'availableAt'>,
  { presence, hasActiveDeployment, held, isBehindAnother, now }: RunWaitingFacts,
): string | null {
  if (run.status !== 'queued') return run.waitingReason;
  if (Date.parse(run.availableAt) > now.getTime()) return `starts at ${run.availableAt} or later`;
  if (!hasActiveDeployment) return 'the agent has no active deployment';
  if (presence.lastSeenAt === null) return 'the agent was never heard of';
  if (!presence.isOnline) return `agent offline since ${presence.lastSeenAt}`;
  if (isBehindAnother) return 'waiting for the end of an earlier run of its schedule';
  if (held > 0) return `waiting for a free slot: the agent has ${held} ${held === 1 ? 'run' : 'runs'}`;
  return 'waiting for the agent to take it';
}
