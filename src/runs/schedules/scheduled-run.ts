import type { Actor } from '../../access/principal.js';
import type { LockedAgent } from '../../agents/agent.types.js';
import type { WantedRun } from '../runs.service.js';
import type { StoredSchedule } from './schedules.repository.js';

/**
 * A run of a schedule, whose agent the transaction has locked. Pure.
 *
 * @param dueAt null: a person asks for it outside of the due times
 */
export function scheduledRun(
  actor: Actor,
  agent: LockedAgent,
  schedule: StoredSchedule,
  dueAt: string | null,
): WantedRun {
  const isSerial = schedule.overlap !== 'allow';
  return {
    actor,
    agent,
    content: { ...schedule, conversationId: null },
    rules: { ...schedule, startAfter: null, expiresAt: null },
    origin: { schedule: { id: schedule.id, dueAt, isSerial } },
  };
}
