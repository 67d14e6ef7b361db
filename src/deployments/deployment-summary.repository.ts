import { Injectable } from '@nestjs/common';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import { DEPLOYMENT_STATUSES, type DeploymentStatus } from '../lifecycle/deployment-lifecycle.js';
import { DeploymentEntity } from './deployment.entity.js';

export interface FailuresInHour {
  readonly hour: string;
  readonly failures: number;
}

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

  /** Failures by the hour, from their index alone; an hour without any is left out. By hand: `date_trunc` with a zone. */
  failuresByHour(
    connection: Connection,
    projectIds: readonly string[],
    since: Date,
  ): Promise<FailuresInHour[]> {
    return rowsOf<FailuresInHour>(
      connection,
      `SELECT date_trunc('hour', created_at, 'UTC') AS hour, count(*)::int AS failures FROM deployment_events
       WHERE user_id = ANY ($1::uuid[]) AND status = 'failed' AND previous_status <> 'failed' AND created_at >= $2 GROUP BY 1`,
      [projectIds, since],
    );
  }
}
