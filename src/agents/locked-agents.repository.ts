import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import type { Reach } from '../access/reach.js';
import { columnsOf, selectRows } from '../database/entity-rows.js';
import { idList, PreparedQuery } from '../database/prepared-query.js';
import { type PreparedStatement, rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import type { AgentStatus } from '../lifecycle/agent-lifecycle.js';
import type { WorkloadSummary } from '../lifecycle/agent-health.js';
import { deleteCopies, withWorkload } from './agent-copies.repository.js';
import { AgentEntity } from './agent.entity.js';
import type { AgentRecord, LockedAgent } from './agent.types.js';

/** The columns of an agent that webhook messages may contain: all but its config and its presence. */
export const AGENT_RECORD = [
  'id',
  'projectId',
  'createdBy',
  'name',
  'description',
  'type',
  'labels',
  'configVersion',
  'status',
  'version',
  'hostname',
  'platform',
  'createdAt',
  'updatedAt',
] as const;
/** Columns of a locked agent. */
const LOCKED_COLUMNS = [
  'id',
  'projectId',
  'status',
  'configVersion',
  'name',
  'description',
  'pausedAt',
] as const;

/** Condition that an agent has this id and is not being removed. @param id SQL */
export const withId = (id: string) => `agent.id = ${id} AND agent.status <> 'deleting'`;
/** Condition that the agent belongs to one of the projects `:projectIds`. */
export const OWNED = `agent.projectId = ANY (${idList('projectIds')})`;

const LOCK = new PreparedQuery('lock_agent', ['agentId'], (connection) =>
  selectLocked(connection).where(withId(':agentId')),
);
const LOCK_OWNED = new PreparedQuery('lock_owned_agent', ['agentId', 'projectIds'], (connection) =>
  selectLocked(connection).where(withId(':agentId')).andWhere(OWNED),
);
const LOCK_OF_DEPLOYMENT = new PreparedQuery('lock_agent_of_deployment', ['deploymentId'], (connection) =>
  selectLockedOfDeployment(connection),
);
const LOCK_OWNED_OF_DEPLOYMENT = new PreparedQuery(
  'lock_owned_agent_of_deployment',
  ['deploymentId', 'projectIds'],
  (connection) => selectLockedOfDeployment(connection).andWhere(OWNED),
);
const LOCK_FREE = new PreparedQuery('lock_free_agents', ['agentIds'], (connection) =>
  selectLocked(connection)
    .where(`agent.id = ANY (${idList('agentIds')})`)
    .andWhere("agent.status <> 'deleting'")
    .orderBy('agent.id')
    .setOnLocked('skip_locked'),
);
/** Waits for each of the rows, in the order of their ids, so that no two transactions wait for each other. */
const LOCK_SEVERAL = new PreparedQuery('lock_several_agents', ['agentIds'], (connection) =>
  selectLocked(connection)
    .where(`agent.id = ANY (${idList('agentIds')})`)
    .andWhere("agent.status <> 'deleting'")
    .orderBy('agent.id'),
);
/** Reads the records of agents, after the transaction has locked them. */
const READ = new PreparedQuery('read_agents', ['agentIds'], (connection) =>
  selectRows(connection, AgentEntity, 'agent', AGENT_RECORD).where(`agent.id = ANY (${idList('agentIds')})`),
);

const SET_STATUS = new PreparedQuery('set_agent_status', ['agentIds', 'status'], (connection) =>
  connection
    .createQueryBuilder()
    .update(AgentEntity)
    .set({ status: () => ':status', updatedAt: () => 'now()' })
    .where(`id = ANY (${idList('agentIds')}) AND status <> :status`)
    .returning(columnsOf(AgentEntity, AGENT_RECORD)),
);
const SET_WORKLOAD = new PreparedQuery(
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
  withWorkload,
);

/** By hand: the table of commands belongs to a feature below. */
const CONFIRM_PAUSE: PreparedStatement = {
  name: 'confirm_pause',
  text: `UPDATE agents SET pause_confirmed_at = now()
    WHERE id = $1 AND paused_at IS NOT NULL AND pause_confirmed_at IS NULL
      AND NOT EXISTS (SELECT FROM commands WHERE agent_id = $1 AND settled_at IS NULL)`,
};

/**
 * Agents whose rows a transaction locks, and what a step of a deployment writes to them. The statements are prepared, because each
 * step sends some.
 */
@Injectable()
export class LockedAgentsRepository {
  lockOwned(tx: Transaction, projectIds: readonly string[], agentId: string): Promise<LockedAgent | null> {
    return lockOwnedAgent(tx, projectIds, agentId);
  }

  /** Locks an agent of any project. */
  async lock(tx: Transaction, agentId: string): Promise<LockedAgent | null> {
    const [agent] = await LOCK.rows<LockedAgent>(tx, { agentId });
    return agent ?? null;
  }

  async lockOfDeploymentWithin(
    tx: Transaction,
    reach: Reach,
    deploymentId: string,
  ): Promise<LockedAgent | null> {
    const [agent] =
      reach.kind === 'projects'
        ? await LOCK_OWNED_OF_DEPLOYMENT.rows<LockedAgent>(tx, { deploymentId, projectIds: reach.projectIds })
        : await LOCK_OF_DEPLOYMENT.rows<LockedAgent>(tx, { deploymentId });
    return agent ?? null;
  }

  /**
   * Locks the agents that exist and that no other transaction has locked, in the order of their ids. Waiting for one of
   * them would delay all the others.
   */
  lockFree(tx: Transaction, agentIds: readonly string[]): Promise<LockedAgent[]> {
    return LOCK_FREE.rows<LockedAgent>(tx, { agentIds });
  }

  /** Locks the agents that exist, in the order of their ids. */
  lockSeveral(tx: Transaction, agentIds: readonly string[]): Promise<LockedAgent[]> {
    return LOCK_SEVERAL.rows<LockedAgent>(tx, { agentIds });
  }

  /** @returns the updated records of the agents whose status was different */
  async setStatus(tx: Transaction, agentIds: readonly string[], status: AgentStatus): Promise<AgentRecord[]> {
    const changed = await SET_STATUS.rows<AgentRecord>(tx, { agentIds, status });
    if (status === 'deleting') await deleteCopies(tx, agentIds);
    return changed;
  }

  /** Writes the workload only if it differs, and keeps `updated_at`: the agent's record did not change. */
  async setWorkload(tx: Transaction, agentId: string, summary: WorkloadSummary): Promise<void> {
    await SET_WORKLOAD.rows(tx, { agentId, ...summary });
  }

  /** Notes that the runtime has acknowledged all commands. Changes nothing while one waits, or no pause holds the agent. */
  async confirmPause(tx: Transaction, agentId: string): Promise<void> {
    await rowsOf(tx, CONFIRM_PAUSE, [agentId]);
  }

  /** The records of agents that the transaction has locked. */
  read(tx: Transaction, agentIds: readonly string[]): Promise<AgentRecord[]> {
    return READ.rows<AgentRecord>(tx, { agentIds });
  }
}

/** Locks an agent of one of the projects. */
export async function lockOwnedAgent(
  tx: Transaction,
  projectIds: readonly string[],
  agentId: string,
): Promise<LockedAgent | null> {
  const [agent] = await LOCK_OWNED.rows<LockedAgent>(tx, { agentId, projectIds });
  return agent ?? null;
}

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
