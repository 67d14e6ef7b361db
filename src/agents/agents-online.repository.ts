import { Injectable } from '@nestjs/common';
import { deleteOld } from '../database/deleted-rows.js';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import { AgentsOnlineEntity } from './agents-online.entity.js';
import { RECORDED } from './presence.js';

export interface OnlineHour {
  readonly hour: string;
  readonly online: number;
}

/** By hand: an upsert of sums, in the order of the key. It reads each agent's presence once, as the gauges of the fleet do. */
const RECORD = `INSERT INTO agents_online_hourly AS known (project_id, hour, online)
  SELECT presence.user_id, date_trunc('hour', now(), 'UTC'), count(*) FILTER (WHERE ${RECORDED.online})
  FROM agent_presence AS presence GROUP BY presence.user_id ORDER BY presence.user_id
  ON CONFLICT (project_id, hour) DO UPDATE SET online = excluded.online WHERE known.online > excluded.online`;

/** Remembers how many agents were online. */
@Injectable()
export class AgentsOnlineRepository {
  async record(connection: Connection): Promise<void> {
    await rowsOf(connection, RECORD);
  }

  /** The sums of these projects, by the hour; an hour in which nobody looked is left out. */
  byHour(connection: Connection, projectIds: readonly string[], since: Date): Promise<OnlineHour[]> {
    return rowsOf<OnlineHour>(
      connection,
      `SELECT hour, sum(online)::int AS online FROM agents_online_hourly
       WHERE project_id = ANY ($1::uuid[]) AND hour >= $2 GROUP BY hour`,
      [projectIds, since],
    );
  }

  /** @returns the number of deleted rows; fewer than `limit`: there are no more */
  deleteOld(connection: Connection, limit: number): Promise<number> {
    return deleteOld(connection, AgentsOnlineEntity, { since: 'old.hour', days: 2 }, limit);
  }
}
