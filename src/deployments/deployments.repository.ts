import { Injectable } from '@nestjs/common';
import { Page, type PageRequest } from '../database/page.js';
import { rowsOf } from '../database/sql.js';
import type { Transaction } from '../database/transaction.types.js';
import { Transactor } from '../database/transactor.js';
import { ACTIVE_STATUSES, type DeploymentStatus } from '../lifecycle/deployment-lifecycle.js';
import { DeploymentEntity } from './deployment.entity.js';

export interface DeploymentFilter {
  readonly userId: string;
  readonly agentId?: string;
  readonly status?: DeploymentStatus;
}

/** What has to be known of an agent's deployments before its logs and metrics are taken in. */
export interface TelemetryQuestion {
  readonly agentId: string;
  readonly mentioned: readonly string[];
}

export interface TelemetryTargets {
  readonly owned: readonly string[];
  readonly active: readonly string[];
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

const ACTIVE = ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ');

@Injectable()
export class DeploymentsRepository {
  constructor(private readonly transactor: Transactor) {}

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
  async agentIdOf(tx: Transaction, deploymentId: string, userId: string | null): Promise<string | null> {
    const [row] = await rowsOf<{ agent_id: string }>(
      tx,
      'SELECT agent_id FROM deployments WHERE id = $1 AND ($2::uuid IS NULL OR user_id = $2)',
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

  async list(filter: DeploymentFilter, request: PageRequest): Promise<Page<DeploymentEntity>> {
    const query = this.transactor.reader
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

  /** @param userId the owner; null where the caller is the agent itself */
  async find(deploymentId: string, userId: string | null): Promise<DeploymentEntity | null> {
    return this.transactor.reader
      .getRepository(DeploymentEntity)
      .findOneBy({ id: deploymentId, ...(userId === null ? {} : { userId }) });
  }

  /** The agent's latest, newest first. */
  async latestOf(agentId: string, limit: number): Promise<DeploymentEntity[]> {
    return this.transactor.reader
      .getRepository(DeploymentEntity)
      .find({ where: { agentId }, order: { id: 'DESC' }, take: limit });
  }

  async findAmong(agentId: string, ids: readonly string[]): Promise<DeploymentEntity[]> {
    return this.transactor.reader
      .getRepository(DeploymentEntity)
      .createQueryBuilder('deployment')
      .where('deployment.agentId = :agentId AND deployment.id = ANY(:ids)', { agentId, ids })
      .getMany();
  }

  /**
   * For each question: which of the mentioned ids are the agent's, and its active deployments, two at most, since
   * one is all that matters. One statement for any number of questions.
   */
  async telemetryTargets(questions: readonly TelemetryQuestion[]): Promise<TelemetryTargets[]> {
    const rows = await rowsOf<TelemetryTargets & { number: string }>(
      this.transactor.reader,
      `SELECT question.number,
         ARRAY(SELECT id FROM deployments WHERE agent_id = question.agent_id
           AND id IN (SELECT jsonb_array_elements_text(question.mentioned)::uuid)) AS owned,
         ARRAY(SELECT id FROM deployments WHERE agent_id = question.agent_id
           AND status IN (${ACTIVE}) LIMIT 2) AS active
       FROM unnest($1::uuid[], $2::jsonb[]) WITH ORDINALITY AS question(agent_id, mentioned, number)`,
      [
        questions.map((question) => question.agentId),
        questions.map((question) => JSON.stringify(question.mentioned)),
      ],
    );
    const byNumber = new Map(rows.map((row) => [Number(row.number), row]));
    return questions.map((_, index) => byNumber.get(index + 1) ?? { owned: [], active: [] });
  }

  /** Deployments that have been deploying for longer than they may. */
  async listOverdue(
    deadlineSeconds: number,
    limit: number,
  ): Promise<{ readonly id: string; readonly agentId: string }[]> {
    return rowsOf(
      this.transactor.reader,
      `SELECT id, agent_id AS "agentId" FROM deployments
       WHERE status = 'deploying' AND started_at < now() - make_interval(secs => $1)
       ORDER BY started_at LIMIT $2`,
      [deadlineSeconds, limit],
    );
  }

  /** Their commands go with them; their history stays, as part of their owner's sequence of events. */
  async deleteOf(tx: Transaction, agentId: string): Promise<void> {
    await tx.getRepository(DeploymentEntity).delete({ agentId });
  }
}
