import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { OPEN_STATUSES } from '../lifecycle/run-lifecycle.js';
import { ServiceMetrics } from '../observability/service-metrics.js';
import { RunQueueRepository } from './run-queue.repository.js';
import type { RunBacklog } from './run.types.js';

const NONE: Omit<RunBacklog, 'status'> = { count: 0, oldestSeconds: 0, onlineSeconds: null };

/** Gauges of the runs of all agents that have not ended. Each status gets a value, even if there is no such run. */
@Injectable()
export class RunGauges {
  constructor(metrics: ServiceMetrics, queues: RunQueueRepository, database: Database) {
    metrics.addFleetGauges(
      {
        control_plane_runs: 'Runs of the fleet that have not ended, by status',
        control_plane_run_oldest_seconds: 'For how long the first run that has not ended has been due',
        control_plane_run_online_seconds:
          'The longest time for which a due run has been queued while its agent was online',
      },
      async () => {
        const found = await queues.backlog(database.background.manager);
        const byStatus = (valueOf: (of: Omit<RunBacklog, 'status'>) => number) =>
          OPEN_STATUSES.map((status) => ({
            labels: { status },
            value: valueOf(found.find((each) => each.status === status) ?? NONE),
          }));
        return {
          control_plane_runs: byStatus(({ count }) => count),
          control_plane_run_oldest_seconds: byStatus(({ oldestSeconds }) => oldestSeconds),
          control_plane_run_online_seconds: byStatus(({ onlineSeconds }) => onlineSeconds ?? 0),
        };
      },
      ['status'],
    );
  }
}
