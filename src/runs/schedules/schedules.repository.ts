import { Injectable } from '@nestjs/common';
import { In, type SelectQueryBuilder } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import { selectRows } from '../../database/entity-rows.js';
import type { Page, PageRequest } from '../../database/page.js';
import { OF_PROJECT, readNewestOf, sentBytes } from '../../database/read-page.js';
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

  /** Locks a schedule, if it is due by the database's clock. */
  async lockDue(tx: Transaction, agentId: string, id: string): Promise<StoredSchedule | null> {
    const row = await lockOne(tx, agentId, id)
      .andWhere('schedule.nextRunAt <= now()')
      .getRawOne<StoredSchedule>();
    return row ?? null;
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

  /** Returns true if a run of the schedule has not ended. */
  async hasOpenRun(tx: Transaction, id: string): Promise<boolean> {
    const open = selectRows(tx, RunEntity, 'run', ['id'])
      .where({ scheduleId: id })
      .andWhere(`run.status IN (${OPEN})`);
    return (await open.limit(1).getRawOne()) !== undefined;
  }

  /** Returns true if a due time has made its run. */
  async hasRunOf(tx: Transaction, id: string, dueAt: string): Promise<boolean> {
    return (
      (await selectRows(tx, RunEntity, 'run', ['id']).where({ scheduleId: id, dueAt }).getRawOne()) !==
      undefined
    );
  }

  async moveForAgent(tx: Transaction, agentId: string, projectId: string): Promise<void> {
    await tx.getRepository(ScheduleEntity).update({ agentId }, { projectId });
  }
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
