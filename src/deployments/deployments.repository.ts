import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { columnsOf, deleteOld, selectRows } from '../database/entity-rows.js';
import { idList, PreparedQuery } from '../database/prepared-query.js';
import { lists, type PreparedStatement, rowsOfPrepared } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { isNewer } from '../lifecycle/agent-health.js';
import { ACTIVE_STATUSES } from '../lifecycle/deployment-lifecycle.js';
import type { DeploymentChange } from './deployment-change.types.js';
import { DeploymentEntity } from './deployment.entity.js';
import {
  insertDeployment,
  type NewDeployment,
  updateDeployment,
  type WrittenDeployment,
} from './written-deployments.repository.js';

/** An agent, and ids that it claims as those of its deployments. */
export interface MentionedDeployments {
  readonly agentId: string;
  readonly mentioned: readonly string[];
}

/** SQL for the name of an agent. By hand: the table belongs to a feature below. @param agentId SQL for its id */
export const agentName = (agentId: string) =>
  `(SELECT agent.name FROM agents AS agent WHERE agent.id = ${agentId})`;
const COLUMNS = `${columnsOf(DeploymentEntity, undefined, 'deployment')}, ${agentName('"deployment".agent_id')} AS "agentName"`;
const ACTIVE = ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ');
/** Constants, not parameters: PostgreSQL then uses the partial index. */
const ACTIVE_OF_AGENT = `deployment.agentId = :agentId AND deployment.status IN (${ACTIVE})`;

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

/** See {@link DeploymentsRepository.activeOf}. */
const ACTIVE_OF = new PreparedQuery('active_deployments', ['agentId'], (connection) =>
  selectWithName(connection)
    .where(ACTIVE_OF_AGENT)
    .orderBy('deployment.createdAt', 'DESC')
    .addOrderBy('deployment.id', 'DESC'),
);

/** See {@link DeploymentsRepository.findMentioned}. */
const FIND_MENTIONED = new PreparedQuery('find_mentioned_deployments', ['ids'], (connection) =>
  selectRows(connection, DeploymentEntity, 'deployment').where(`deployment.id = ANY (${idList('ids')})`),
);

/** See {@link DeploymentsRepository.findLost}. */
const FIND_LOST = new PreparedQuery('find_lost_deployments', ['agentId'], (connection) =>
  selectRows(connection, DeploymentEntity, 'deployment', ['id'])
    .where('deployment.agentId = :agentId')
    // A constant, not a parameter: PostgreSQL then uses the partial index.
    .andWhere("deployment.failureCause = 'heartbeat_lost'")
    .orderBy('deployment.id'),
);

/** See {@link DeploymentsRepository.latestOf}. */
const LATEST_OF: PreparedStatement = {
  name: 'latest_deployments',
  text: `SELECT ${COLUMNS} FROM unnest(${lists('uuid')}) AS agent(id)
    CROSS JOIN LATERAL (
      SELECT * FROM deployments WHERE agent_id = agent.id ORDER BY created_at DESC, id DESC LIMIT $2) AS deployment`,
};

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

  /** The agent's active deployments, newest first. */
  activeOf(connection: Connection, agentId: string): Promise<DeploymentEntity[]> {
    return ACTIVE_OF.rows<DeploymentEntity>(connection, { agentId });
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

  /**
   * Reads the latest deployments of any number of agents in one statement. By hand: `unnest` with a LIMIT for each.
   *
   * @returns the latest ones of each agent, newest first
   */
  async latestOf(
    connection: Connection,
    agentIds: readonly string[],
    limit: number,
  ): Promise<DeploymentEntity[][]> {
    const rows = await rowsOfPrepared<DeploymentEntity>(connection, LATEST_OF, [
      [...new Set(agentIds)],
      limit,
    ]);
    const byAgent = Map.groupBy(rows, (deployment) => deployment.agentId);
    return agentIds.map((agentId) =>
      (byAgent.get(agentId) ?? []).sort((one, other) => (isNewer(one, other) ? -1 : 1)),
    );
  }

  /**
   * For each question, the agent's own deployments among these ids, without the agent's name. One statement for any
   * number of questions, because most heartbeats ask one.
   */
  async findMentioned(
    connection: Connection,
    questions: readonly MentionedDeployments[],
  ): Promise<DeploymentEntity[][]> {
    const ids = [...new Set(questions.flatMap(({ mentioned }) => mentioned))];
    const rows = await FIND_MENTIONED.rows<DeploymentEntity>(connection, { ids });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return questions.map(({ agentId, mentioned }) =>
      mentioned.flatMap((id) => byId.get(id) ?? []).filter((deployment) => deployment.agentId === agentId),
    );
  }

  /** Lists deployments whose restarts were frequent and have stopped for a while. */
  listQuiet(
    connection: Connection,
    quietSeconds: number,
    limit: number,
  ): Promise<{ readonly id: string; readonly agentId: string }[]> {
    return (
      selectQuiet(connection, quietSeconds)
        // Random order: deployments whose step fails must not delay all others.
        .orderBy('random()')
        .limit(limit)
        .getRawMany<{ id: string; agentId: string }>()
    );
  }

  /** Checks a deployment of {@link listQuiet} again, in a transaction that has locked the agent. */
  async isStillQuiet(tx: Transaction, id: string, quietSeconds: number): Promise<boolean> {
    return (await selectQuiet(tx, quietSeconds).andWhere({ id }).getRawOne()) !== undefined;
  }

  /** Ids of the agent's deployments that failed when its heartbeat was lost. */
  async findLost(tx: Transaction, agentId: string): Promise<string[]> {
    const rows = await FIND_LOST.rows<Pick<DeploymentEntity, 'id'>>(tx, { agentId });
    return rows.map(({ id }) => id);
  }

  /** Lists deployments that have been `deploying` for longer than the time limit. */
  listOverdue(
    connection: Connection,
    deadlineSeconds: number,
    limit: number,
  ): Promise<{ readonly id: string; readonly agentId: string }[]> {
    return (
      selectRows(connection, DeploymentEntity, 'deployment', ['id', 'agentId'])
        // A constant, not a parameter: PostgreSQL then uses the partial index.
        .where("deployment.status = 'deploying'")
        .andWhere('NOT deployment.isHeld')
        .andWhere('deployment.startedAt < now() - make_interval(secs => :deadlineSeconds)', {
          deadlineSeconds,
        })
        // Random order, as in `listQuiet`.
        .orderBy('random()')
        .limit(limit)
        .getRawMany<{ id: string; agentId: string }>()
    );
  }

  /**
   * Deletes deployments that were killed longer ago than a number of days by the database's clock, oldest first.
   *
   * @returns the number of deleted deployments, at most `limit`
   */
  deleteKilled(connection: Connection, days: number, limit: number): Promise<number> {
    const killed = { since: 'old.endedAt', days, where: "old.status = 'killed'" };
    return deleteOld(connection, DeploymentEntity, killed, limit);
  }

  /** Gives the deployments of an agent to another project. */
  async moveOf(tx: Transaction, agentId: string, projectId: string): Promise<void> {
    await tx.getRepository(DeploymentEntity).update({ agentId }, { projectId });
  }

  /**
   * Deletes an agent's deployments with their commands. Their history stays, as part of their owner's sequence of
   * events.
   */
  async deleteOf(tx: Transaction, agentId: string): Promise<void> {
    await tx.getRepository(DeploymentEntity).delete({ agentId });
  }
}

/** Selects deployments with the names of their agents. */
export function selectWithName(connection: Connection): SelectQueryBuilder<DeploymentEntity> {
  return connection.createQueryBuilder(DeploymentEntity, 'deployment').select(COLUMNS);
}

function selectOne(connection: Connection): SelectQueryBuilder<DeploymentEntity> {
  return selectWithName(connection).where('deployment.id = :id');
}

function selectQuiet(connection: Connection, quietSeconds: number): SelectQueryBuilder<DeploymentEntity> {
  return selectRows(connection, DeploymentEntity, 'deployment', ['id', 'agentId'])
    .where('deployment.restartPace IS NOT NULL')
    .andWhere('deployment.lastRestartAt < now() - make_interval(secs => :quietSeconds)', { quietSeconds });
}
