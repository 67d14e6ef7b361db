import { Injectable } from '@nestjs/common';
import type { Connection } from '../database/transaction.js';
import { DeploymentSummaryRepository } from './deployment-summary.repository.js';
import type { DeploymentSummary } from './deployment-summary.types.js';

@Injectable()
export class DeploymentSummaryService {
  constructor(private readonly summaries: DeploymentSummaryRepository) {}

  /** @param newest number of failures listed */
  async summary(
    connection: Connection,
    projectIds: readonly string[],
    newest: number,
  ): Promise<DeploymentSummary> {
    return {
      byStatus: await this.summaries.countByStatus(connection, projectIds),
      failures: {
        total: await this.summaries.countFailures(connection, projectIds),
        newest: await this.summaries.newestFailures(connection, projectIds, newest),
      },
    };
  }
}
