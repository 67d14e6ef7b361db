import { Inject, Injectable } from '@nestjs/common';
import { AgentLifecycleService } from '../agents/agent-lifecycle.service.js';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import type { JobTask } from '../database/periodic-job.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { type Connection, inTransaction } from '../database/transaction.js';
import type { RunAction } from '../lifecycle/run-lifecycle.js';
import { RunLifecycleService } from './run-lifecycle.service.js';
import type { RunEntity } from './run.entity.js';
import { RunsRepository } from './runs.repository.js';

/** Maximum number of runs of a kind in one round. */
const BATCH = 200;
/** A trace whose root has not come for so long after its last span has no end any more; seconds. */
const SILENCE_OF_A_TRACE_SECONDS = 3_600;

/** A run that was listed to be judged. */
type Listed = Pick<RunEntity, 'id' | 'agentId' | 'lastSequence'>;

/** Takes the steps of runs that follow from time: a time that is over, a start that comes too late, a deployment that has ended. */
@Injectable()
export class RunMonitorService {
  constructor(
    jobs: PeriodicJobs,
    private readonly runs: RunsRepository,
    private readonly agents: AgentLifecycleService,
    private readonly lifecycle: RunLifecycleService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    jobs.add('runs', {
      intervalMs: settings.MONITOR_INTERVAL_SECONDS * 1_000,
      tasks: (connection) => this.tasks(connection),
    });
  }

  private async tasks(connection: Connection): Promise<JobTask[]> {
    const overdue = await this.runs.listOverdue(connection, BATCH);
    const expired = await this.runs.listExpired(connection, BATCH);
    // Time for the runtime to report the real end of runs that it stops with the deployment.
    const patience = this.settings.HEARTBEAT_TIMEOUT_SECONDS;
    const orphaned = await this.runs.listOrphaned(connection, patience, BATCH);
    const silent = await this.runs.listSilent(connection, SILENCE_OF_A_TRACE_SECONDS, BATCH);
    return [
      ...overdue.map((run) => this.judging(run, 'time_out', 'The time limit was exceeded')),
      ...expired.map((run) => this.judging(run, 'expire', 'The run did not start before its latest start')),
      ...orphaned.map((run) => this.judging(run, 'abandon', "The run's deployment has ended")),
      ...silent.map((run) => this.judging(run, 'abandon', 'The trace has had no span for an hour')),
    ];
  }

  /** The step is taken in a short transaction of its own, unless the run has taken another one since it was listed. */
  private judging({ id, agentId, lastSequence }: Listed, action: RunAction, error: string): JobTask {
    return {
      name: `run ${id}`,
      run: async (connection) => {
        await inTransaction(connection, async (tx) => {
          const [agent] = await this.agents.lockFree(tx, [agentId]);
          // Another transaction has it, or it has been removed: the next round looks again.
          if (!agent) return;
          const run = await this.runs.lock(tx, agentId, id);
          if (run?.lastSequence === lastSequence)
            await this.lifecycle.apply(tx, 'monitor', run, action, { error });
        });
      },
    };
  }
}
