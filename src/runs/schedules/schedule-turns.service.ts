import { Injectable, Logger } from '@nestjs/common';
import { AgentLifecycleService } from '../../agents/agent-lifecycle.service.js';
import type { LockedAgent } from '../../agents/agent.types.js';
import type { JobTask } from '../../database/periodic-job.js';
import { PeriodicJobs } from '../../database/periodic-jobs.js';
import { databaseTime } from '../../database/sql.js';
import { type Connection, inTransaction, type Transaction } from '../../database/transaction.js';
import { RateLimitedError } from '../../errors/domain-error.js';
import { RunsService } from '../runs.service.js';
import { turnOf } from './due-times.js';
import { queueScheduled } from './scheduled-run.js';
import { type DueSchedule, SchedulesRepository, type StoredSchedule } from './schedules.repository.js';

const INTERVAL_MS = 1_000;
/** More than a job takes in one go, so that the rest of a full minute needs no further second. */
const BATCH = 201;

/** Makes the runs of due times. Each due time makes one at most, whatever instance looks, and whatever its clock says. */
@Injectable()
export class ScheduleTurnsService {
  private readonly logger = new Logger('Schedules');

  constructor(
    jobs: PeriodicJobs,
    private readonly schedules: SchedulesRepository,
    private readonly agents: AgentLifecycleService,
    private readonly runs: RunsService,
  ) {
    jobs.add('schedules', { intervalMs: INTERVAL_MS, tasks: (connection) => this.tasks(connection) });
  }

  private async tasks(connection: Connection): Promise<JobTask[]> {
    const due = await this.schedules.listDue(connection, BATCH);
    return due.map((schedule) => ({
      name: `schedule ${schedule.id}`,
      run: (round) => inTransaction(round, (tx) => this.takeTurn(tx, schedule)),
    }));
  }

  private async takeTurn(tx: Transaction, { id, agentId }: DueSchedule): Promise<void> {
    const [agent] = await this.agents.lockFree(tx, [agentId]);
    // Another transaction has it, or it has been removed: the next round looks again.
    if (!agent) return;
    const schedule = await this.schedules.lockDue(tx, agentId, id);
    if (!schedule) return;
    const now = new Date(await databaseTime(tx));
    const { dueAt, nextDueAt } = turnOf(schedule, new Date(schedule.nextRunAt!), now);
    if (dueAt) await this.makeRun(tx, agent, schedule, dueAt.toISOString());
    await this.schedules.update(tx, id, { nextRunAt: nextDueAt?.toISOString() ?? null });
  }

  private async makeRun(
    tx: Transaction,
    agent: LockedAgent,
    schedule: StoredSchedule,
    dueAt: string,
  ): Promise<void> {
    const { id, overlap } = schedule;
    if (await this.schedules.hasRunOf(tx, id, dueAt)) return;
    if (overlap === 'skip' && (await this.schedules.hasOpenRun(tx, id))) return;
    try {
      await queueScheduled(this.runs, tx, `schedule:${id}`, agent, schedule, dueAt);
    } catch (error) {
      if (!(error instanceof RateLimitedError)) throw error;
      this.logger.warn(`The due time ${dueAt} of schedule ${id} is passed over: ${error.message}`);
    }
  }
}
