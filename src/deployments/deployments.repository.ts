import { Injectable } from '@nestjs/common';
import { Page, type PageRequest } from '../database/page.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { ACTIVE_STATUSES, type DeploymentStatus } from '../lifecycle/deployment-lifecycle.js';
import { DeploymentEntity } from './deployment.entity.js';

export interface DeploymentFilter {
  readonly userId: string;
  readonly agentId?: string;
  readonly status?: DeploymentStatus;
}

/** An agent, and ids that it calls those of its deployments. */
export interface MentionedDeployments {
  readonly agentId: string;
  readonly mentioned: readonly string[];
}

/** What a transition or a report may change. */
export type DeploymentChange = Pick<
  DeploymentEntity,
  | 'status'
  | 'statusSource'
  | 'failureCause'
  | 'replicas'
  | 'readyReplicas'
  | 'generation'
  | 'startGeneration'
  | 'observedGeneration'
  | 'lastSequence'
  | 'nodeId'
  | 'errorMessage'
> & {
  /** Sets `started_at` to now. */
  readonly starts: boolean;
  /** Sets `ended_at` to now, or clears it; null keeps it. */
  readonly ended: boolean | null;
};

const COLUMNS = `deployment.id, deployment.agent_id AS "agentId", deployment.user_id AS "userId", deployment.status,
  deployment.status_source AS "statusSource", deployment.failure_cause AS "failureCause", deployment.replicas,
  deployment.ready_replicas AS "readyReplicas", deployment.generation,
  deployment.start_generation AS "startGeneration", deployment.observed_generation AS "observedGeneration",
  deployment.last_sequence AS "lastSequence", deployment.node_id AS "nodeId",
  deployment.error_message AS "errorMessage", deployment.created_at AS "createdAt",
  deployment.started_at AS "startedAt", deployment.ended_at AS "endedAt", deployment.updated_at AS "updatedAt"`;
const ACTIVE = ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ');

@Injectable()
export class DeploymentsRepository {
  async insert(
    tx: Transaction,
    deployment: Pick<DeploymentEntity, 'id' | 'agentId' | 'userId' | 'status' | 'statusSource' | 'replicas'>,
  ): Promise<DeploymentEntity> {
    const first = { ...deployment, generation: 1, startGeneration: 1, lastSequence: 1, readyReplicas: 0 };
    const [times] = await rowsOf<Pick<DeploymentEntity, 'createdAt' | 'startedAt' | 'updatedAt'>>(
      tx,
      `INSERT INTO deployments (id, agent_id, user_id, status, status_source, replicas, generation,
         start_generation, last_sequence, ready_replicas)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
       RETURNING created_at AS "createdAt", started_at AS "startedAt", updated_at AS "updatedAt"`,
      [
        first.id,
        first.agentId,
        first.userId,
        first.status,
        first.statusSource,
        first.replicas,
        first.generation,
        first.startGeneration,
        first.lastSequence,
        first.readyReplicas,
      ],
    );
    const unknown = {
      failureCause: null,
      observedGeneration: null,
      nodeId: null,
      errorMessage: null,
      endedAt: null,
    };
    return { ...first, ...unknown, ...times! };
  }

  /** The agent of an owned deployment; null where there is none. */
  async agentIdOfOwned(tx: Transaction, userId: string, deploymentId: string): Promise<string | null> {
    const [row] = await rowsOf<{ agent_id: string }>(
      tx,
      'SELECT agent_id FROM deployments WHERE id = $1 AND user_id = $2',
      [deploymentId, userId],
    );
    return row?.agent_id ?? null;
  }

  /** Takes the row for the rest of the transaction; the agent's row must have been taken before. */
  async lock(tx: Transaction, agentId: string, deploymentId: string): Promise<DeploymentEntity | null> {
    return tx
      .getRepository(DeploymentEntity)
      .createQueryBuilder('deployment')
      .setLock('for_no_key_update')
      .where('deployment.id = :deploymentId AND deployment.agentId = :agentId', { deploymentId, agentId })
      .getOne();
  }

  async lockActive(tx: Transaction, agentId: string): Promise<DeploymentEntity[]> {
    return tx
      .getRepository(DeploymentEntity)
      .createQueryBuilder('deployment')
      .setLock('for_no_key_update')
      .where(`deployment.agentId = :agentId AND deployment.status IN (${ACTIVE})`, { agentId })
      .orderBy('deployment.id')
      .getMany();
  }

  async update(
    tx: Transaction,
    deployment: DeploymentEntity,
    { starts, ended, ...columns }: DeploymentChange,
  ): Promise<DeploymentEntity> {
    const [times] = await rowsOf<Pick<DeploymentEntity, 'startedAt' | 'endedAt' | 'updatedAt'>>(
      tx,
      `UPDATE deployments
       SET status = $2, status_source = $3, failure_cause = $4, replicas = $5, ready_replicas = $6, generation = $7,
         start_generation = $8, observed_generation = $9, last_sequence = $10, node_id = $11, error_message = $12,
         started_at = CASE WHEN $13 THEN now() ELSE started_at END,
         ended_at = CASE $14::boolean WHEN true THEN now() WHEN false THEN NULL ELSE ended_at END,
         updated_at = now()
       WHERE id = $1
       RETURNING started_at AS "startedAt", ended_at AS "endedAt", updated_at AS "updatedAt"`,
      [
        deployment.id,
        columns.status,
        columns.statusSource,
        columns.failureCause,
        columns.replicas,
        columns.readyReplicas,
        columns.generation,
        columns.startGeneration,
        columns.observedGeneration,
        columns.lastSequence,
        columns.nodeId,
        columns.errorMessage,
        starts,
        ended,
      ],
    );
    return { ...deployment, ...columns, ...times! };
  }

  async list(
    connection: Connection,
    filter: DeploymentFilter,
    request: PageRequest,
  ): Promise<Page<DeploymentEntity>> {
    const query = connection
      .getRepository(DeploymentEntity)
      .createQueryBuilder('deployment')
      .where('deployment.userId = :userId', { userId: filter.userId })
      .orderBy('deployment.id', 'DESC');
    if (filter.agentId) query.andWhere('deployment.agentId = :agentId', { agentId: filter.agentId });
    if (filter.status) query.andWhere('deployment.status = :status', { status: filter.status });
    const total = request.includeTotal ? await query.getCount() : undefined;
    const rows = await query
      .offset(request.skip)
      .limit(request.limit + 1)
      .getMany();
    return Page.of(rows, request, total);
  }

  findOwned(connection: Connection, userId: string, id: string): Promise<DeploymentEntity | null> {
    return connection.getRepository(DeploymentEntity).findOneBy({ id, userId });
  }

  find(connection: Connection, id: string): Promise<DeploymentEntity | null> {
    return connection.getRepository(DeploymentEntity).findOneBy({ id });
  }

  /** One statement for any number of agents. @returns for each its latest, newest first */
  async latestOf(
    connection: Connection,
    agentIds: readonly string[],
    limit: number,
  ): Promise<DeploymentEntity[][]> {
    const rows = await rowsOf<DeploymentEntity>(
      connection,
      `SELECT ${COLUMNS} FROM unnest($1::uuid[]) AS agent(id)
       CROSS JOIN LATERAL (
         SELECT * FROM deployments WHERE agent_id = agent.id ORDER BY id DESC LIMIT $2) AS deployment`,
      [[...new Set(agentIds)], limit],
    );
    const byAgent = Map.groupBy(rows, (deployment) => deployment.agentId);
    return agentIds.map((agentId) =>
      (byAgent.get(agentId) ?? []).sort((one, other) => (one.id < other.id ? 1 : -1)),
    );
  }

  /** For each question those of the mentioned deployments that are the agent's. One statement for any number. */
  async findMentioned(
    connection: Connection,
    questions: readonly MentionedDeployments[],
  ): Promise<DeploymentEntity[][]> {
    const rows = await rowsOf<DeploymentEntity>(
      connection,
      `SELECT ${COLUMNS} FROM deployments AS deployment WHERE id = ANY ($1::uuid[])`,
      [[...new Set(questions.flatMap(({ mentioned }) => mentioned))]],
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    return questions.map(({ agentId, mentioned }) =>
      mentioned.flatMap((id) => byId.get(id) ?? []).filter((deployment) => deployment.agentId === agentId),
    );
  }

  /** Deployments that have been deploying for longer than they may. */
  async listOverdue(
    connection: Connection,
    deadlineSeconds: number,
    limit: number,
  ): Promise<{ readonly id: string; readonly agentId: string }[]> {
    return rowsOf(
      connection,
      `SELECT id, agent_id AS "agentId" FROM deployments
       WHERE status = 'deploying' AND started_at < now() - make_interval(secs => $1)
       ORDER BY started_at LIMIT $2`,
      [deadlineSeconds, limit],
    );
  }

  /**
   * Deletes deployments that were killed so many days ago, by the database's clock, oldest first.
   *
   * @returns how many, at most `limit`
   */
  async deleteKilled(connection: Connection, days: number, limit: number): Promise<number> {
    const rows = await rowsOf(
      connection,
      `DELETE FROM deployments WHERE id = ANY (ARRAY(
         SELECT id FROM deployments WHERE status = 'killed' AND ended_at < now() - make_interval(days => $1)
         ORDER BY ended_at LIMIT $2))
       RETURNING 1`,
      [days, limit],
    );
    return rows.length;
  }

  /** Their commands go with them; their history stays, as part of their owner's sequence of events. */
  async deleteOf(tx: Transaction, agentId: string): Promise<void> {
    await tx.getRepository(DeploymentEntity).delete({ agentId });
  }
}
