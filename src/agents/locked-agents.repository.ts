import type { SelectQueryBuilder } from 'typeorm';
import { selectRows } from '../database/entity-rows.js';
import { PreparedQuery } from '../database/prepared-query.js';
import type { Connection } from '../database/transaction.js';
import { AgentEntity } from './agent.entity.js';
import { owned } from './shown-agents.repository.js';

/** Queries that take an agent's row for the rest of the transaction. Each step of a deployment begins with one. */

const LOCKED_COLUMNS = ['id', 'userId', 'status', 'configVersion', 'name', 'description'] as const;

export const LOCK_OWNED = new PreparedQuery('lock_owned_agent', ['agentId', 'owner'], (connection) =>
  selectLocked(connection).where(owned(':agentId')),
);
/** By hand: deployments are the table of a feature above, and a statement of its own would be a round trip of each step. */
export const LOCK_OF_DEPLOYMENT = new PreparedQuery(
  'lock_agent_of_deployment',
  ['deploymentId', 'owner'],
  (connection) =>
    selectLocked(connection).where(
      owned(
        '(SELECT deployment.agent_id FROM deployments AS deployment WHERE deployment.id = :deploymentId)',
      ),
    ),
);

/** Selects a `LockedAgent`. */
export function selectLocked(connection: Connection): SelectQueryBuilder<AgentEntity> {
  return selectRows(connection, AgentEntity, 'agent', LOCKED_COLUMNS).setLock('for_no_key_update');
}
