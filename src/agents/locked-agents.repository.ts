import type { SelectQueryBuilder } from 'typeorm';
import type { Reach } from '../access/principal.js';
import { selectRows } from '../database/entity-rows.js';
import { PreparedQuery } from '../database/prepared-query.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { AgentEntity } from './agent.entity.js';
import type { LockedAgent } from './agent.types.js';
import { OWNED, withId } from './shown-agents.repository.js';

/** Queries that take an agent's row for the rest of the transaction. Each step of a deployment begins with one. */

const LOCKED_COLUMNS = ['id', 'userId', 'status', 'configVersion', 'name', 'description'] as const;

export const LOCK = new PreparedQuery('lock_agent', ['agentId'], (connection) =>
  selectLocked(connection).where(withId(':agentId')),
);
export const LOCK_OWNED = new PreparedQuery('lock_owned_agent', ['agentId', 'ownerId'], (connection) =>
  selectLocked(connection).where(withId(':agentId')).andWhere(OWNED),
);
const LOCK_OF_DEPLOYMENT = new PreparedQuery('lock_agent_of_deployment', ['deploymentId'], (connection) =>
  selectLockedOfDeployment(connection),
);
const LOCK_OWNED_OF_DEPLOYMENT = new PreparedQuery(
  'lock_owned_agent_of_deployment',
  ['deploymentId', 'ownerId'],
  (connection) => selectLockedOfDeployment(connection).andWhere(OWNED),
);

export async function lockOfDeploymentWithin(
  tx: Transaction,
  reach: Reach,
  deploymentId: string,
): Promise<LockedAgent | null> {
  const [agent] =
    reach.kind === 'owner'
      ? await LOCK_OWNED_OF_DEPLOYMENT.rows<LockedAgent>(tx, { deploymentId, ownerId: reach.ownerId })
      : await LOCK_OF_DEPLOYMENT.rows<LockedAgent>(tx, { deploymentId });
  return agent ?? null;
}

/** Selects a `LockedAgent`. */
export function selectLocked(connection: Connection): SelectQueryBuilder<AgentEntity> {
  return selectRows(connection, AgentEntity, 'agent', LOCKED_COLUMNS).setLock('for_no_key_update');
}

/** By hand: deployments are the table of a feature above, and a statement of its own would be a round trip of each step. */
function selectLockedOfDeployment(connection: Connection): SelectQueryBuilder<AgentEntity> {
  return selectLocked(connection).where(
    withId('(SELECT deployment.agent_id FROM deployments AS deployment WHERE deployment.id = :deploymentId)'),
  );
}
