import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { selectRows } from '../database/entity-rows.js';
import type { Connection } from '../database/transaction.js';
import { DEPLOYMENT_STATUSES, type DeploymentStatus } from '../lifecycle/deployment-lifecycle.js';
import { DeploymentEntity } from './deployment.entity.js';
import { DeploymentEventEntity, IS_FAILURE } from './deployment-event.entity.js';
import type { DeploymentFailure } from './deployment-summary.types.js';
import { agentName } from './deployments.repository.js';

/**
 * Failures of the last day, of deployments that the project still has: events stay after them. By hand: a condition on
 * another table.
 */
const RECENT_FAILURE = `${IS_FAILURE} AND event.createdAt > now() - interval '24 hours'
  AND EXISTS (SELECT FROM deployments WHERE deployments.id = event.deploymentId AND deployments.user_id = event.projectId)`;

/** Sums of the deployments of some projects. */
@Injectable()
export class DeploymentSummaryRepository {
  /** Counts each status separately: each count reads only its part of the index. Grouping would compare every entry. */
  async countByStatus(
    connection: Connection,
    projectIds: readonly string[],
  ): Promise<Record<DeploymentStatus, number>> {
    const rows = await connection
      .createQueryBuilder()
      .select('each.status', 'status')
      .addSelect(
        (count) =>
          count
            .select('count(*)::int')
            .from(DeploymentEntity, 'deployment')
            .where('deployment.projectId = ANY (:projectIds)')
            .andWhere('deployment.status = each.status'),
        'count',
      )
      .from('(SELECT unnest(:statuses::text[]) AS status)', 'each')
      .setParameters({ projectIds, statuses: DEPLOYMENT_STATUSES })
      .getRawMany<{ status: DeploymentStatus; count: number }>();
    return Object.fromEntries(rows.map(({ status, count }) => [status, count])) as Record<
      DeploymentStatus,
      number
    >;
  }

  countFailures(connection: Connection, projectIds: readonly string[]): Promise<number> {
    return connection
      .createQueryBuilder(DeploymentEventEntity, 'event')
      .where({ projectId: In([...projectIds]) })
      .andWhere(RECENT_FAILURE)
      .getCount();
  }

  /** Lists failures, newest first. */
  newestFailures(
    connection: Connection,
    projectIds: readonly string[],
    limit: number,
  ): Promise<DeploymentFailure[]> {
    return selectRows(connection, DeploymentEventEntity, 'event', [
      ...(['agentId', 'deploymentId', 'eventType', 'errorMessage', 'createdAt'] as const),
    ])
      .addSelect(agentName('event.agentId'), 'agentName')
      .where({ projectId: In([...projectIds]) })
      .andWhere(RECENT_FAILURE)
      .orderBy('event.createdAt', 'DESC')
      .limit(limit)
      .getRawMany<DeploymentFailure>();
  }
}
