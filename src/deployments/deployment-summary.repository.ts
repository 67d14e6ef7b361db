import { Injectable } from '@nestjs/common';
import type { Connection } from '../database/transaction.js';
import { DEPLOYMENT_STATUSES, type DeploymentStatus } from '../lifecycle/deployment-lifecycle.js';
import { DeploymentEntity } from './deployment.entity.js';

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
}
