import { Injectable } from '@nestjs/common';
import { deleteFound, deleteOld } from '../database/deleted-rows.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { DeploymentEntity } from './deployment.entity.js';
import { DeploymentEventEntity } from './deployment-event.entity.js';

/** SQL condition for an event whose deployment is gone. */
const LEFT_BEHIND = 'NOT EXISTS (SELECT FROM deployments AS present WHERE present.id = event.deployment_id)';

/** Deletes deployments and events whose time is over. */
@Injectable()
export class DeploymentRetentionRepository {
  /**
   * Deletes deployments that were killed longer ago than a number of days by the database's clock, oldest first.
   *
   * @returns the number of deleted deployments, at most `limit`
   */
  deleteKilled(connection: Connection, days: number, limit: number): Promise<number> {
    const killed = { since: 'old.endedAt', days, where: "old.status = 'killed'" };
    return deleteOld(connection, DeploymentEntity, killed, limit);
  }

  /**
   * Deletes events older than a number of days by the database's clock, oldest first.
   *
   * @returns the number of deleted events, at most `limit`
   */
  deleteOldEvents(connection: Connection, days: number, limit: number): Promise<number> {
    return deleteOld(connection, DeploymentEventEntity, { since: 'old.createdAt', days }, limit);
  }

  /**
   * Deletes events of one of the projects that have been deleted, the first ones first. The history of a deployment that
   * was handed over before stays with it.
   *
   * @returns the number of deleted events, at most `limit`
   */
  deleteEventsOfDeletedProjects(connection: Connection, limit: number): Promise<number> {
    // By hand: the table belongs to a feature below.
    const deleted = `SELECT project.id FROM projects AS project WHERE project.deleted_at IS NOT NULL
      AND EXISTS (SELECT FROM deployment_events AS event WHERE event.user_id = project.id AND ${LEFT_BEHIND}) LIMIT 1`;
    return deleteFound(
      connection,
      connection
        .createQueryBuilder(DeploymentEventEntity, 'event')
        .where(`event.projectId = (${deleted})`)
        .andWhere(LEFT_BEHIND)
        .orderBy('event.projectSequence')
        .limit(limit),
    );
  }

  /**
   * Deletes an agent's deployments with their commands. Their history stays, as part of their owner's sequence of
   * events.
   */
  async deleteOf(tx: Transaction, agentId: string): Promise<void> {
    await tx.getRepository(DeploymentEntity).delete({ agentId });
  }
}
