import { Injectable } from '@nestjs/common';
import { In, type SelectQueryBuilder } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import { selectRows } from '../../database/entity-rows.js';
import type { Page, PageRequest } from '../../database/page.js';
import { OF_PROJECT, readNewestOf } from '../../database/project-pages.js';
import { sentBytes } from '../../database/read-page.js';
import { lists, rowsOf } from '../../database/sql.js';
import type { Connection, Transaction } from '../../database/transaction.js';
import { RunEntity } from '../run.entity.js';
import { agentName, isPresent, OPEN } from '../runs.repository.js';
import { ScheduleEntity } from './schedule.entity.js';
import type { LastRun } from './schedule.types.js';

export interface ScheduleFilter {
  readonly projectIds: readonly string[];
  readonly agentId?: string;
  readonly isActive?: boolean;
}

/** A schedule as its row is; its agent's name and its newest run are read for people only. */
export type StoredSchedule = Omit<ScheduleEntity, 'agentName' | keyof LastRun>;

export type DueSchedule = Pick<ScheduleEntity, 'id' | 'agentId'>;

/** A due time of a schedule. */
export interface DueTime {
  readonly id: string;
  readonly dueAt: string;
}

/** By hand: pairs of values. */
const RUNS_OF_DUE_TIMES = `SELECT run.schedule_id AS "scheduleId" FROM unnest(${lists('uuid', 'timestamptz')}) AS due(id, at)
  JOIN runs AS run ON run.schedule_id = due.id AND run.due_at = due.at`;
/** By hand: each row gets another value. */
const SET_NEXT_RUNS = `UPDATE schedules SET next_run_at = next.at FROM unnest(${lists('uuid', 'timestamptz')}) AS next(id, at)
  WHERE schedules.id = next.id`;

/** TypeORM's type of values knows no column of any JSON. */
type Values = QueryDeepPartialEntity<ScheduleEntity>;

/** The clock of the database orders the runs: those of the instances that make their ids differ. */
const NEWEST_RUN = `(SELECT newest.id FROM runs AS newest WHERE newest.schedule_id = schedule.id
  ORDER BY newest.queued_at DESC LIMIT 1)`;
const BYTES_OF_A_SCHEDULE = `coalesce(octet_length(input::text), 0) + octet_length(labels::text)
  + ${sentBytes('"agentName"', 'name', 'cron')}`;

/** Reads and writes schedules. A transaction has locked the agent's row before it writes one. */
@Injectable()
export class SchedulesRepository {
  async insert(tx: Transaction, schedule: Partial<StoredSchedule>): Promise<void> {
    await tx.getRepository(ScheduleEntity).insert(schedule as Values);
  }

  async update(tx: Transaction, id: string, change: Partial<StoredSchedule>): Promise<void> {
    await tx.getRepository(ScheduleEntity).update({ id }, change as Values);
  }

  async delete(tx: Transaction, id: string): Promise<void> {
    await tx.getRepository(ScheduleEntity).delete({ id });
  }

  count(tx: Transaction, projectId: string): Promise<number> {
    return tx.getRepository(ScheduleEntity).countBy({ projectId });
  }

  /** Lists schedules, newest first. An input takes up to 256 KiB, so a page may be cut. */
  list(
    connection: Connection,
    { projectIds, ...exact }: ScheduleFilter,
    request: PageRequest,
  ): Promise<Page<ScheduleEntity>> {
    const schedules = selectSchedules(connection)
      .where(OF_PROJECT('schedule'))
      .andWhere(isPresent('schedule.agentId'));
    for (const [property, value] of Object.entries(exact))
      if (value !== undefined) schedules.andWhere({ [property]: value });
    return readNewestOf(connection, projectIds, schedules, request, BYTES_OF_A_SCHEDULE);
  }

  /** @param projectIds one of which owns the schedule; null: any */
  async find(
    connection: Connection,
    projectIds: readonly string[] | null,
    id: string,
  ): Promise<ScheduleEntity | null> {
    const one = selectSchedules(connection).where({ id }).andWhere(isPresent('schedule.agentId'));
    if (projectIds) one.andWhere({ projectId: In([...projectIds]) });
    return (await one.getRawOne<ScheduleEntity>()) ?? null;
  }

  async lock(tx: Transaction, agentId: string, id: string): Promise<StoredSchedule | null> {
    const row = await lockOne(tx, agentId, id).getRawOne<StoredSchedule>();
    return row ?? null;
  }

  /** Locks those of these schedules that belong to these agents, and are due by the database's clock. */
  lockDue(tx: Transaction, agentIds: readonly string[], ids: readonly string[]): Promise<StoredSchedule[]> {
    return selectRows(tx, ScheduleEntity, 'schedule')
      .where({ id: In([...ids]), agentId: In([...agentIds]) })
      .andWhere('schedule.nextRunAt <= now()')
      .orderBy('schedule.id')
      .setLock('for_no_key_update')
      .getRawMany<StoredSchedule>();
  }

  /** Lists schedules that are due by the database's clock, those that have waited longest first. */
  listDue(connection: Connection, limit: number): Promise<DueSchedule[]> {
    return selectRows(connection, ScheduleEntity, 'schedule', ['id', 'agentId'])
      .where('schedule.nextRunAt <= now()')
      .andWhere(isPresent('schedule.agentId'))
      .orderBy('schedule.nextRunAt')
      .limit(limit)
      .getRawMany<DueSchedule>();
  }

  /** Finds the schedules of which a run has not ended. @returns their ids */
  async withOpenRun(tx: Transaction, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const open = selectRows(tx, RunEntity, 'run', ['scheduleId'])
      .where({ scheduleId: In([...ids]) })
      .andWhere(`run.status IN (${OPEN})`);
    return scheduleIdsOf(await open.getRawMany());
  }

  /** Finds the schedules whose due time has made its run. @returns their ids */
  async withRunOf(tx: Transaction, dueTimes: readonly DueTime[]): Promise<ReadonlySet<string>> {
    const values = [dueTimes.map(({ id }) => id), dueTimes.map(({ dueAt }) => dueAt)];
    return scheduleIdsOf(await rowsOf(tx, RUNS_OF_DUE_TIMES, values));
  }

  /** The actors at whose request the runs of a schedule are made. Empty: it is gone, or nobody knows. */
  async askersOf(tx: Transaction, id: string): Promise<readonly string[]> {
    const row = await selectRows(tx, ScheduleEntity, 'schedule', ['askedBy'])
      .where({ id })
      .getRawOne<Pick<ScheduleEntity, 'askedBy'>>();
    return row?.askedBy ?? [];
  }

  /** Sets the next due times; null: there is none. */
  async setNextRuns(tx: Transaction, next: ReadonlyMap<string, string | null>): Promise<void> {
    await rowsOf(tx, SET_NEXT_RUNS, [[...next.keys()], [...next.values()]]);
  }

  async moveForAgent(tx: Transaction, agentId: string, projectId: string): Promise<void> {
    await tx.getRepository(ScheduleEntity).update({ agentId }, { projectId });
  }
}

function scheduleIdsOf(rows: readonly { readonly scheduleId: string }[]): ReadonlySet<string> {
  return new Set(rows.map(({ scheduleId }) => scheduleId));
}

function lockOne(tx: Transaction, agentId: string, id: string): SelectQueryBuilder<ScheduleEntity> {
  return selectRows(tx, ScheduleEntity, 'schedule').where({ id, agentId }).setLock('for_no_key_update');
}

/** A query for schedules as people see them. By hand: the table of agents belongs to a feature below. */
function selectSchedules(connection: Connection): SelectQueryBuilder<ScheduleEntity> {
  return selectRows(connection, ScheduleEntity, 'schedule')
    .leftJoin(RunEntity, 'last', `last.id = ${NEWEST_RUN}`)
    .addSelect(agentName('schedule.agentId'), 'agentName')
    .addSelect('last.id', 'lastRunId')
    .addSelect('last.status', 'lastRunStatus')
    .addSelect('last.queuedAt', 'lastRunQueuedAt');
}
