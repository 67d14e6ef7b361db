import { Injectable } from '@nestjs/common';
import { AgentsService } from '../agents/agents.service.js';
import type { JobTask } from '../database/periodic-job.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import type { Connection } from '../database/transaction.js';
import { RunPurgeService } from '../runs/run-purge.service.js';
import { TelemetryPurgeService } from '../telemetry/telemetry-purge.service.js';

const PURGE_INTERVAL_MS = 5_000;
const AGENTS_A_ROUND = 20;

/**
 * Finishes the removal of agents: purges their logs, metrics and runs, then deletes the last row. Continues after a crash, and after
 * an outage of the database of telemetry, so that nothing is left there of an agent that nobody knows. The round's connection leads to
 * that database.
 */
@Injectable()
export class RemovalPurgeService {
  constructor(
    jobs: PeriodicJobs,
    private readonly agents: AgentsService,
    private readonly telemetry: TelemetryPurgeService,
    private readonly runs: RunPurgeService,
  ) {
    const tasks = (connection: Connection) => this.tasks(connection);
    jobs.add('removalPurge', { intervalMs: PURGE_INTERVAL_MS, tasks }, telemetry.database);
  }

  private async tasks(connection: Connection): Promise<JobTask[]> {
    const agentIds = await this.agents.listDeleting(this.telemetry.mainOf(connection), AGENTS_A_ROUND);
    return agentIds.map((agentId) => ({
      name: `agent ${agentId}`,
      run: async (given) => {
        if (await this.telemetry.purgeSome(given, agentId)) return true;
        if (await this.runs.purgeSome(this.telemetry.mainOf(given), agentId)) return true;
        await this.agents.finishRemoval(this.telemetry.mainOf(given), agentId);
        // There may be more agents than one round has listed.
        return agentIds.length === AGENTS_A_ROUND;
      },
    }));
  }
}
