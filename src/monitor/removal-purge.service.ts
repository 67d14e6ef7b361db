import { Injectable } from '@nestjs/common';
import { AgentsService } from '../agents/agents.service.js';
import { Database } from '../database/database.js';
import type { JobTask, Step } from '../database/periodic-job.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { RunPurgeService } from '../runs/run-purge.service.js';
import { TelemetryPurgeService } from '../telemetry/telemetry-purge.service.js';

const PURGE_INTERVAL_MS = 5_000;
const AGENTS_A_ROUND = 20;

/**
 * Finishes the removal of agents: purges their logs, metrics and runs, then deletes the last row. Continues after a crash, and after
 * an outage of the database of telemetry, so that nothing is left there of an agent that nobody knows.
 */
@Injectable()
export class RemovalPurgeService {
  constructor(
    jobs: PeriodicJobs,
    private readonly database: Database,
    private readonly agents: AgentsService,
    private readonly telemetry: TelemetryPurgeService,
    private readonly runs: RunPurgeService,
  ) {
    const tasks = (step: Step) => this.tasks(step);
    jobs.addInSteps('removalPurge', { intervalMs: PURGE_INTERVAL_MS, tasks }, [database, telemetry.database]);
  }

  private async tasks(step: Step): Promise<JobTask<Step>[]> {
    const agentIds = await step(this.database, (connection) =>
      this.agents.listDeleting(connection, AGENTS_A_ROUND),
    );
    return agentIds.map((agentId) => ({
      name: `agent ${agentId}`,
      run: async (given) => {
        if (await this.purgeSome(given, agentId)) return true;
        // There may be more agents than one round has listed.
        return agentIds.length === AGENTS_A_ROUND;
      },
    }));
  }

  /** @returns true if rows of the agent are left */
  private async purgeSome(step: Step, agentId: string): Promise<boolean> {
    const hasTelemetry = await step(this.telemetry.database, (connection) =>
      this.telemetry.purgeSome(connection, agentId),
    );
    if (hasTelemetry) return true;
    return step(this.database, async (connection) => {
      if (await this.runs.purgeSome(connection, agentId)) return true;
      await this.agents.finishRemoval(connection, agentId);
      return false;
    });
  }
}
