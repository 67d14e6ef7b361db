import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { columnsOf, deleteFound, returnedRows, selectRows } from '../database/entity-rows.js';
import { PreparedQuery } from '../database/prepared-query.js';
import { type PreparedStatement, rowsOfPrepared } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import type { WorkloadPart } from '../lifecycle/agent-health.js';
import { ACTIVE_STATUSES } from '../lifecycle/deployment-lifecycle.js';
import type { DeploymentChange } from './deployment-change.types.js';
import { DeploymentEntity } from './deployment.entity.js';
import { agentName } from './shown-deployments.repository.js';

/** An agent, and ids that it calls those of its deployments. */
export interface MentionedDeployments {
  readonly agentId: string;
  readonly mentioned: readonly string[];
}

const COLUMNS = `${columnsOf(DeploymentEntity, undefined, 'deployment')}, ${agentName('"deployment".agent_id')} AS "agentName"`;
const RETURNED = `${columnsOf(DeploymentEntity)}, ${agentName('"deployments".agent_id')} AS "agentName"`;
const ACTIVE = ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ');
/** Constants, not parameters: they lead to the partial index. */
const ACTIVE_OF_AGENT = `deployment.agentId = :agentId AND deployment.status IN (${ACTIVE})`;
/** `owner` null: whoever it is. */
const OWNED = 'deployment.id = :id AND (:owner::uuid IS NULL OR deployment.userId = :owner)';

const WORKLOAD_COLUMNS = columnsOf(DeploymentEntity, [
  ...([
    'id',
    'status',
    'failureCause',
    'replicas',
    'readyReplicas',
    'generation',
    'observedGeneration',
  ] as const),
  ...(['readyGeneration', 'restartPace', 'restartCount', 'errorMessage'] as const),
]);
const LIST_FOR_WORKLOAD: PreparedStatement = {
  name: 'list_for_workload',
  text: `SELECT ${WORKLOAD_COLUMNS} FROM deployments WHERE agent_id = $1 AND (
      status IN (${ACTIVE}) OR id = (SELECT id FROM deployments WHERE agent_id = $1 ORDER BY id DESC LIMIT 1)
    )`,
};

const FIND_OWNED = new PreparedQuery('find_owned_deployment', ['id', 'owner'], (connection) =>
  selectWithName(connection).where(OWNED),
);

// The reads of a step, of which each deploy, scale, stop, restart and report makes some.
const AGENT_OF_OWNED = new PreparedQuery('agent_of_owned_deployment', ['id', 'owner'], (connection) =>
  selectRows(connection, DeploymentEntity, 'deployment', ['agentId']).where(OWNED),
);
const LOCK_FOR_AGENT = new PreparedQuery('lock_deployment_for_agent', ['id', 'agentId'], (connection) =>
  selectWithName(connection)
    .where('deployment.id = :id AND deployment.agentId = :agentId')
    .setLock('for_no_key_update'),
);
const LOCK_ACTIVE = new PreparedQuery('lock_active_deployments', ['agentId'], (connection) =>
  selectWithName(connection).where(ACTIVE_OF_AGENT).orderBy('deployment.id').setLock('for_no_key_update'),
);
const HAS_ACTIVE = new PreparedQuery('has_active_deployment', ['agentId'], (connection) =>
  selectRows(connection, DeploymentEntity, 'deployment', ['id']).where(ACTIVE_OF_AGENT).limit(1),
);

/** See {@link DeploymentsRepository.findMentioned}. */
const FIND_MENTIONED = new PreparedQuery('find_mentioned_deployments', ['ids'], (connection) =>
  selectRows(connection, DeploymentEntity, 'deployment').where('deployment.id = ANY (:ids)'),
);

/** See {@link DeploymentsRepository.findLost}. */
const FIND_LOST = new PreparedQuery('find_lost_deployments', ['agentId'], (connection) =>
  selectRows(connection, DeploymentEntity, 'deployment', ['id'])
    .where('deployment.agentId = :agentId')
    // A constant, not a parameter: it leads to the partial index.
    .andWhere("deployment.failureCause = 'heartbeat_lost'")
    .orderBy('deployment.id'),
);

/** See {@link DeploymentsRepository.latestOf}. */
const LATEST_OF: PreparedStatement = {
  name: 'latest_deployments',
  text: `SELECT ${COLUMNS} FROM unnest($1::uuid[]) AS agent(id)
    CROSS JOIN LATERAL (
      SELECT * FROM deployments WHERE agent_id = agent.id ORDER BY id DESC LIMIT $2) AS deployment`,
};

@Injectable()
export class DeploymentsRepository {
  async insert(
    tx: Transaction,
    deployment: Pick<
      DeploymentEntity,
      'id' | 'agentId' | 'userId' | 'status' | 'statusSource' | 'configVersion' | 'replaces' | 'replicas'
    >,
  ): Promise<DeploymentEntity> {
    const first = { ...deployment, generation: 1, startGeneration: 1, lastSequence: 1 };
    const [inserted] = await returnedRows<DeploymentEntity>(
      tx
        .createQueryBuilder()
        .insert()
        .into(DeploymentEntity)
        .values(first)
        .returning(RETURNED)
        .updateEntity(false),
    );
    return inserted!;
  }

  /** The agent of an owned deployment; null where there is none. */
  async agentIdOfOwned(tx: Transaction, owner: string | null, deploymentId: string): Promise<string | null> {
    const [row] = await AGENT_OF_OWNED.rows<Pick<DeploymentEntity, 'agentId'>>(tx, {
      id: deploymentId,
      owner,
    });
    return row?.agentId ?? null;
  }

  /** Locks the row for the rest of the transaction; the agent's row must have been locked before. */
  async lockForAgent(
    tx: Transaction,
    agentId: string,
    deploymentId: string,
  ): Promise<DeploymentEntity | null> {
    const [row] = await LOCK_FOR_AGENT.rows<DeploymentEntity>(tx, { id: deploymentId, agentId });
    return row ?? null;
  }

  lockActive(tx: Transaction, agentId: string): Promise<DeploymentEntity[]> {
    return LOCK_ACTIVE.rows<DeploymentEntity>(tx, { agentId });
  }

  async hasActive(tx: Transaction, agentId: string): Promise<boolean> {
    return (await HAS_ACTIVE.rows(tx, { agentId })).length > 0;
  }

  async update(
    tx: Transaction,
    deployment: DeploymentEntity,
    { starts, ended, ...columns }: DeploymentChange,
  ): Promise<DeploymentEntity> {
    const [updated] = await returnedRows<DeploymentEntity>(
      tx
        .createQueryBuilder()
        .update(DeploymentEntity)
        .set({
          ...columns,
          startedAt: starts ? () => 'now()' : undefined,
          endedAt: ended === undefined || ended === null ? undefined : ended ? () => 'now()' : null,
          updatedAt: () => 'now()',
        })
        .where({ id: deployment.id })
        .returning(RETURNED),
    );
    return updated!;
  }

  /** @param owner null: whoever it is */
  async findOwned(
    connection: Connection,
    owner: string | null,
    id: string,
  ): Promise<DeploymentEntity | null> {
    const [row] = await FIND_OWNED.rows<DeploymentEntity>(connection, { id, owner });
    return row ?? null;
  }

  /**
   * One statement for any number of agents. By hand: `unnest` with a LIMIT for each.
   *
   * @returns for each its latest, newest first
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
      (byAgent.get(agentId) ?? []).sort((one, other) => (one.id < other.id ? 1 : -1)),
    );
  }

  /**
   * For each question those of the mentioned deployments that are the agent's, without the agent's name. One statement for
   * any number: most heartbeats ask it.
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

  /**
   * The deployments that an agent's workload follows from: all active ones, and the newest one. Prepared: each step of a
   * deployment asks.
   */
  listForWorkload(tx: Transaction, agentId: string): Promise<WorkloadPart[]> {
    return rowsOfPrepared<WorkloadPart>(tx, LIST_FOR_WORKLOAD, [agentId]);
  }

  /** Deployments whose restarts were frequent, and that have not restarted for a while. */
  listQuiet(
    connection: Connection,
    quietSeconds: number,
    limit: number,
  ): Promise<{ readonly id: string; readonly agentId: string }[]> {
    return selectQuiet(connection, quietSeconds)
      .orderBy('deployment.lastRestartAt')
      .limit(limit)
      .getRawMany<{ id: string; agentId: string }>();
  }

  /** Checks again, in a transaction that has locked the agent. */
  async isStillQuiet(tx: Transaction, id: string, quietSeconds: number): Promise<boolean> {
    return (await selectQuiet(tx, quietSeconds).andWhere({ id }).getRawOne()) !== undefined;
  }

  /** The ids of the agent's deployments that were lost with its heartbeat. */
  async findLost(tx: Transaction, agentId: string): Promise<string[]> {
    const rows = await FIND_LOST.rows<Pick<DeploymentEntity, 'id'>>(tx, { agentId });
    return rows.map(({ id }) => id);
  }

  /** Deployments that have been deploying for longer than they may. */
  listOverdue(
    connection: Connection,
    deadlineSeconds: number,
    limit: number,
  ): Promise<{ readonly id: string; readonly agentId: string }[]> {
    return (
      selectRows(connection, DeploymentEntity, 'deployment', ['id', 'agentId'])
        // A constant, not a parameter: it leads to the partial index.
        .where("deployment.status = 'deploying'")
        .andWhere('deployment.startedAt < now() - make_interval(secs => :deadlineSeconds)', {
          deadlineSeconds,
        })
        .orderBy('deployment.startedAt')
        .limit(limit)
        .getRawMany<{ id: string; agentId: string }>()
    );
  }

  /**
   * Deletes deployments that were killed so many days ago, by the database's clock, oldest first.
   *
   * @returns how many, at most `limit`
   */
  deleteKilled(connection: Connection, days: number, limit: number): Promise<number> {
    return deleteFound(
      connection,
      connection
        .createQueryBuilder(DeploymentEntity, 'deployment')
        .where("deployment.status = 'killed'")
        .andWhere('deployment.endedAt < now() - make_interval(days => :days)', { days })
        .orderBy('deployment.endedAt')
        .limit(limit),
    );
  }

  /** Their commands go with them; their history stays, as part of their owner's sequence of events. */
  async deleteOf(tx: Transaction, agentId: string): Promise<void> {
    await tx.getRepository(DeploymentEntity).delete({ agentId });
  }
}

/** A deployment with its agent's name. */
function selectWithName(connection: Connection): SelectQueryBuilder<DeploymentEntity> {
  return connection.createQueryBuilder(DeploymentEntity, 'deployment').select(COLUMNS);
}

function selectQuiet(connection: Connection, quietSeconds: number): SelectQueryBuilder<DeploymentEntity> {
  return selectRows(connection, DeploymentEntity, 'deployment', ['id', 'agentId'])
    .where('deployment.restartPace IS NOT NULL')
    .andWhere('deployment.lastRestartAt < now() - make_interval(secs => :quietSeconds)', { quietSeconds });
}
