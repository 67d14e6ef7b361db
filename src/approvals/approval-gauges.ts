import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { ServiceMetrics } from '../observability/service-metrics.js';
import { ApprovalsRepository } from './approvals.repository.js';

/** Gauges of the questions of all agents that nobody has decided. */
@Injectable()
export class ApprovalGauges {
  constructor(metrics: ServiceMetrics, approvals: ApprovalsRepository, database: Database) {
    metrics.addFleetGauges(
      {
        control_plane_approvals_pending: 'Pending approvals',
        control_plane_approval_oldest_seconds: 'Age of the oldest pending approval',
      },
      async () => {
        const { count, oldestSeconds } = await approvals.backlog(database.background.manager);
        return {
          control_plane_approvals_pending: [{ labels: {}, value: count }],
          control_plane_approval_oldest_seconds: [{ labels: {}, value: oldestSeconds }],
        };
      },
    );
  }
}
