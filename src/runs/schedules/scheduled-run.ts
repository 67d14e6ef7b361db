import type { Actor } from '../../access/principal.js';
import type { LockedAgent } from '../../agents/agent.types.js';
import type { Transaction } from '../../database/transaction.js';
import type { RunEntity } from '../run.entity.js';
import type { RunsService } from '../runs.service.js';
import type { StoredSchedule } from './schedules.repository.js';

/**
 * Queues a run of a schedule, whose agent the transaction has locked.
 *
 * @param dueAt null: somebody asks for it beside the due times
 * @throws RateLimitedError if the agent's queue is full
 */
export function queueScheduled(
  runs: RunsService,
  tx: Transaction,
  actor: Actor,
  agent: LockedAgent,
  schedule: StoredSchedule,
  dueAt: string | null,
): Promise<RunEntity> {
  const content = { ...schedule, conversationId: null };
  const rules = { ...schedule, startAfter: null, expiresAt: null };
  const isSerial = schedule.overlap !== 'allow';
  return runs.queueFor(tx, actor, agent, content, rules, { schedule: { id: schedule.id, dueAt, isSerial } });
}
