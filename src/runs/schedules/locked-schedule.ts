import { projectIdsOf, type Reach } from '../../access/reach.js';
import type { AgentLifecycleService } from '../../agents/agent-lifecycle.service.js';
import type { LockedAgent } from '../../agents/agent.types.js';
import type { Transaction } from '../../database/transaction.js';
import { NotFoundError } from '../../errors/domain-error.js';
import { reached } from '../../http/required-role.js';
import type { SchedulesRepository, StoredSchedule } from './schedules.repository.js';

/**
 * Locks a schedule and its agent for the rest of the transaction.
 *
 * @throws NotFoundError, ForbiddenError
 */
export async function lockSchedule(
  schedules: SchedulesRepository,
  agents: AgentLifecycleService,
  tx: Transaction,
  reach: Reach,
  id: string,
): Promise<{ readonly agent: LockedAgent; readonly schedule: StoredSchedule }> {
  const found = await schedules.find(tx, projectIdsOf(reach), id);
  const agent = await agents.lockWithin(tx, reach, reached(reach, found, 'Schedule').agentId);
  const schedule = await schedules.lock(tx, agent.id, id);
  if (!schedule) throw new NotFoundError('Schedule');
  return { agent, schedule };
}
