import type { SelectQueryBuilder } from 'typeorm';
import { columnsOf, selectRows } from '../database/entity-rows.js';
import { idList, PreparedQuery } from '../database/prepared-query.js';
import type { Connection } from '../database/transaction.js';
import { AgentEntity } from './agent.entity.js';
import { AGENT_RECORD, OWNED, withId } from './agent-queries.repository.js';

/** Columns of a locked agent. Its statements are prepared, because each step of a deployment sends some. */

const LOCKED_COLUMNS = [
  'id',
  'projectId',
  'status',
  'configVersion',
  'name',
  'description',
  'pausedAt',
] as const;

export const LOCK = new PreparedQuery('lock_agent', ['agentId'], (connection) =>
  selectLocked(connection).where(withId(':agentId')),
);
export const LOCK_OWNED = new PreparedQuery('lock_owned_agent', ['agentId', 'projectIds'], (connection) =>
  selectLocked(connection).where(withId(':agentId')).andWhere(OWNED),
);
export const LOCK_OF_DEPLOYMENT = new PreparedQuery(
  'lock_agent_of_deployment',
  ['deploymentId'],
  (connection) => selectLockedOfDeployment(connection),
);
export const LOCK_OWNED_OF_DEPLOYMENT = new PreparedQuery(
  'lock_owned_agent_of_deployment',
  ['deploymentId', 'projectIds'],
  (connection) => selectLockedOfDeployment(connection).andWhere(OWNED),
);
export const LOCK_FREE = new PreparedQuery('lock_free_agents', ['agentIds'], (connection) =>
  selectLocked(connection)
    .where(`agent.id = ANY (${idList('agentIds')})`)
    .andWhere("agent.status <> 'deleting'")
    .orderBy('agent.id')
    .setOnLocked('skip_locked'),
);
/** Waits for each of the rows, in the order of their ids, so that no two transactions wait for each other. */
export const LOCK_SEVERAL = new PreparedQuery('lock_several_agents', ['agentIds'], (connection) =>
  selectLocked(connection)
    .where(`agent.id = ANY (${idList('agentIds')})`)
    .andWhere("agent.status <> 'deleting'")
    .orderBy('agent.id'),
);
/** Reads the records of agents, for `AgentsRepository.read`, after the transaction has locked them. */
export const READ = new PreparedQuery('read_agents', ['agentIds'], (connection) =>
  selectRows(connection, AgentEntity, 'agent', AGENT_RECORD).where(`agent.id = ANY (${idList('agentIds')})`),
);

export const SET_STATUS = new PreparedQuery('set_agent_status', ['agentIds', 'status'], (connection) =>
  connection
    .createQueryBuilder()
    .update(AgentEntity)
    .set({ status: () => ':status', updatedAt: () => 'now()' })
    .where(`id = ANY (${idList('agentIds')}) AND status <> :status`)
    .returning(columnsOf(AgentEntity, AGENT_RECORD)),
);
export const SET_WORKLOAD = new PreparedQuery(
  'set_workload',
  ['agentId', 'workload', 'workloadReason'],
  (connection) =>
    connection
      .createQueryBuilder()
      .update(AgentEntity)
      .set({ workload: () => ':workload', workloadReason: () => ':workloadReason' })
      // While a pause holds the agent, that is its workload.
      .where('id = :agentId AND paused_at IS NULL')
      .andWhere('(workload, workload_reason) IS DISTINCT FROM (:workload, :workloadReason)'),
);

/** Selects a `LockedAgent`. */
function selectLocked(connection: Connection): SelectQueryBuilder<AgentEntity> {
  return selectRows(connection, AgentEntity, 'agent', LOCKED_COLUMNS).setLock('for_no_key_update');
}

/**
 * Selects the agent of a deployment. By hand: deployments belong to a feature above, and a separate statement would
 * cost each step a round trip.
 */
function selectLockedOfDeployment(connection: Connection): SelectQueryBuilder<AgentEntity> {
  return selectLocked(connection).where(
    withId('(SELECT deployment.agent_id FROM deployments AS deployment WHERE deployment.id = :deploymentId)'),
  );
}
