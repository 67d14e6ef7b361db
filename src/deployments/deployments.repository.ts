import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { columnsOf } from '../database/entity-rows.js';
import { idList, PreparedQuery } from '../database/prepared-query.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { ACTIVE_STATUSES } from '../lifecycle/deployment-lifecycle.js';
import type { DeploymentChange } from './deployment-change.types.js';
import { DeploymentEntity } from './deployment.entity.js';
import {
  insertDeployment,
  type NewDeployment,
  updateDeployment,
  type WrittenDeployment,
} from './written-deployments.repository.js';

/** SQL for the name of an agent. By hand: the table belongs to a feature below. @param agentId SQL for its id */
export const agentName = (agentId: string) =>
  `(SELECT agent.name FROM agents AS agent WHERE agent.id = ${agentId})`;
export const COLUMNS = `${columnsOf(DeploymentEntity, undefined, 'deployment')}, ${agentName('"deployment".agent_id')} AS "agentName"`;
const ACTIVE = ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ');
/** Constants, not parameters: PostgreSQL then uses the partial index. */
export const ACTIVE_OF_AGENT = `deployment.agentId = :agentId AND deployment.status IN (${ACTIVE})`;

const FIND = new PreparedQuery('find_deployment', ['id'], (connection) => selectOne(connection));
const FIND_OWNED = new PreparedQuery('find_owned_deployment', ['id', 'projectIds'], (connection) =>
  selectOne(connection).andWhere(`deployment.projectId = ANY (${idList('projectIds')})`),
);

// Prepared reads of a step: each deploy, scale, stop, restart and report runs some of them.
const LOCK_FOR_AGENT = new PreparedQuery('lock_deployment_for_agent', ['id', 'agentId'], (connection) =>
  selectOne(connection).andWhere('deployment.agentId = :agentId').setLock('for_no_key_update'),
);
const LOCK_ACTIVE = new PreparedQuery('lock_active_deployments', ['agentId'], (connection) =>
  selectWithName(connection).where(ACTIVE_OF_AGENT).orderBy('deployment.id').setLock('for_no_key_update'),
);

@Injectable()
export class DeploymentsRepository {
  insert(tx: Transaction, deployment: NewDeployment): Promise<WrittenDeployment> {
    return insertDeployment(tx, deployment);
  }

  /** Locks the row for the rest of the transaction, which must have locked the agent's row before. */
  async lockForAgent(
    tx: Transaction,
    agentId: string,
    deploymentId: string,
  ): Promise<DeploymentEntity | null> {
    const [row] = await LOCK_FOR_AGENT.rows<DeploymentEntity>(tx, { id: deploymentId, agentId });
    return row ?? null;
  }

  /**
   * Locks the agent's active deployments, lowest id first. The owner is not checked, because the transaction has locked
   * the agent.
   */
  lockActive(tx: Transaction, agentId: string): Promise<DeploymentEntity[]> {
    return LOCK_ACTIVE.rows<DeploymentEntity>(tx, { agentId });
  }

  /** @param deployment its stored state: the transaction has locked its row */
  update(
    tx: Transaction,
    deployment: DeploymentEntity,
    change: DeploymentChange,
  ): Promise<WrittenDeployment> {
    return updateDeployment(tx, deployment, change);
  }

  async findOwned(
    connection: Connection,
    projectIds: readonly string[],
    id: string,
  ): Promise<DeploymentEntity | null> {
    const [row] = await FIND_OWNED.rows<DeploymentEntity>(connection, { id, projectIds });
    return row ?? null;
  }

  /** Finds a deployment of any owner. */
  async find(connection: Connection, id: string): Promise<DeploymentEntity | null> {
    const [row] = await FIND.rows<DeploymentEntity>(connection, { id });
    return row ?? null;
  }

  /** Gives the deployments of an agent to another project. */
  async moveOf(tx: Transaction, agentId: string, projectId: string): Promise<void> {
    await tx.getRepository(DeploymentEntity).update({ agentId }, { projectId });
  }
}

/** Selects deployments with the names of their agents. */
export function selectWithName(connection: Connection): SelectQueryBuilder<DeploymentEntity> {
  return connection.createQueryBuilder(DeploymentEntity, 'deployment').select(COLUMNS);
}

function selectOne(connection: Connection): SelectQueryBuilder<DeploymentEntity> {
  return selectWithName(connection).where('deployment.id = :id');
}
