import { Injectable, Logger } from '@nestjs/common';
import { AgentLifecycleService } from '../../agents/agent-lifecycle.service.js';
import type { JobTask } from '../../database/periodic-job.js';
import { PeriodicJobs } from '../../database/periodic-jobs.js';
import { databaseTime } from '../../database/clock.js';
import { type Connection, inTransaction, type Transaction } from '../../database/transaction.js';
import { RunsService } from '../runs.service.js';
import { turnOf } from './due-times.js';
import { scheduledRun } from './scheduled-run.js';
import {
  type DueSchedule,
  type DueTime,
  SchedulesRepository,
  type StoredSchedule,
} from './schedules.repository.js';

const INTERVAL_MS = 1_000;
/** Schedules in a transaction. On a busy machine a thousand that were due at once took 30 seconds one at a time, and 3 in groups. */
const GROUP = 50;
/** Schedules in a bite of the job. */
const BATCH = 20 * GROUP;

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
    const groups = Array.from({ length: Math.ceil(due.length / GROUP) }, (_, index) =>
      due.slice(index * GROUP, (index + 1) * GROUP),
    );
    return groups.map((group, index) => ({
      name: `schedules from ${group[0]!.id} on`,
      run: async (round) => {
        await this.takeTurns(round, group);
        // The rest of a full minute needs no further second.
        return index === groups.length - 1 && due.length === BATCH;
      },
    }));
  }

  /** A schedule that fails keeps none of the others from its run. */
  private async takeTurns(round: Connection, group: readonly DueSchedule[]): Promise<void> {
    try {
      await inTransaction(round, (tx) => this.takeTurnsIn(tx, group));
    } catch (error) {
      if (group.length === 1) throw error;
      const failures: unknown[] = [];
      for (const one of group) await this.takeTurns(round, [one]).catch((each) => failures.push(each));
      if (failures.length > 0) throw failures[0];
    }
  }

  private async takeTurnsIn(tx: Transaction, group: readonly DueSchedule[]): Promise<void> {
    // Schedules that are locked by another transaction, or were removed, are left out: the next round looks
    // again.
    const free = await this.agents.lockFree(tx, [...new Set(group.map(({ agentId }) => agentId))]);
    const agents = new Map(free.map((agent) => [agent.id, agent]));
    const ids = group.map(({ id }) => id);
    const schedules = await this.schedules.lockDue(tx, [...agents.keys()], ids);
    const now = new Date(await databaseTime(tx));
    const turns = schedules.map((schedule) => ({
      schedule,
      ...turnOf(schedule, new Date(schedule.nextRunAt!), now),
    }));
    const dueTimes = turns.flatMap(({ schedule: { id }, dueAt }) =>
      dueAt ? [{ id, dueAt: dueAt.toISOString() }] : [],
    );
    const wanted = await this.wantedOf(tx, schedules, dueTimes);
    const made = await this.runs.queueAll(
      tx,
      wanted.map(({ schedule, dueAt }) =>
        scheduledRun(`schedule:${schedule.id}`, agents.get(schedule.agentId)!, schedule, dueAt),
      ),
    );
    this.tellFull(
      wanted,
      made.map(({ scheduleId }) => scheduleId!),
    );
    const next = turns.map(
      ({ schedule, nextDueAt }) => [schedule.id, nextDueAt?.toISOString() ?? null] as const,
    );
    await this.schedules.setNextRuns(tx, new Map(next));
  }

  /** The due times for which a run is to be made: it has none yet, and does not overlap. */
  private async wantedOf(
    tx: Transaction,
    schedules: readonly StoredSchedule[],
    dueTimes: readonly DueTime[],
  ) {
    const byId = new Map(schedules.map((schedule) => [schedule.id, schedule]));
    const skipping = dueTimes.flatMap(({ id }) => (byId.get(id)!.overlap === 'skip' ? [id] : []));
    const made = await this.schedules.withRunOf(tx, dueTimes);
    const busy = await this.schedules.withOpenRun(tx, skipping);
    return dueTimes
      .filter(({ id }) => !made.has(id) && !busy.has(id))
      .map(({ id, dueAt }) => ({ schedule: byId.get(id)!, dueAt }));
  }

  private tellFull(
    wanted: readonly { readonly schedule: StoredSchedule; readonly dueAt: string }[],
    made: readonly string[],
  ): void {
    for (const { schedule, dueAt } of wanted)
      if (!made.includes(schedule.id))
        this.logger.warn(
          `The due time ${dueAt} of schedule ${schedule.id} is skipped: the agent has too many queued runs`,
        );
  }
}
