import { Injectable } from '@nestjs/common';
import { deleteOld } from '../database/deleted-rows.js';
import type { Connection } from '../database/transaction.js';
import {
  DailyUsageEntity,
  HourlyUsageEntity,
  ProjectUsageEntity,
  WeeklyUsageEntity,
} from './usage.entity.js';

/** Deletes old usage. Each returns the number of deleted rows; fewer than `limit`: there are no more. */
@Injectable()
export class UsageRetentionRepository {
  deleteHours(connection: Connection, days: number, limit: number): Promise<number> {
    return deleteOld(connection, HourlyUsageEntity, { since: 'old.hour', days }, limit);
  }

  deleteDays(connection: Connection, days: number, limit: number): Promise<number> {
    return deleteOld(connection, DailyUsageEntity, { since: 'old.day', days }, limit);
  }

  /** Deletes a week with its last day. */
  deleteWeeks(connection: Connection, days: number, limit: number): Promise<number> {
    return deleteOld(connection, WeeklyUsageEntity, { since: 'old.week', days: days + 6 }, limit);
  }

  deleteHoursOfProjects(connection: Connection, days: number, limit: number): Promise<number> {
    return deleteOld(connection, ProjectUsageEntity, { since: 'old.hour', days }, limit);
  }
}
