import { Injectable } from '@nestjs/common';
import { deleteOld } from '../database/deleted-rows.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { UsageSeriesEntity } from './usage-series.entity.js';

/** Identity of a series of an agent. */
export interface SeriesKey {
  readonly agentId: string;
  /** 32 hexadecimal digits. */
  readonly series: string;
  /** Milliseconds since 1970; 0: not reported, or no total. */
  readonly startedAt: number;
}

/** How far a series has been counted. */
export interface SeriesState {
  /** Milliseconds since 1970; null: it is new. */
  readonly lastPointAt: number | null;
  readonly amount: number;
}

export type KnownSeries = SeriesKey & SeriesState;

/** Both compute without the session's time zone, which a server in front of several others does not know. */
const MOMENT = (milliseconds: string) =>
  `('epoch'::timestamp + ${milliseconds} * interval '1 millisecond') AT TIME ZONE 'UTC'`;
const MILLISECONDS = (column: string) => `(extract(epoch FROM ${column} AT TIME ZONE 'UTC') * 1000)::float8`;

/** By hand: series of many agents with `unnest`. All statements lock them in the same order. An agent that is removed has none. */
const LOCK = `INSERT INTO usage_series AS known (agent_id, series, started_at)
  SELECT agent_id, series, ${MOMENT('started')} FROM unnest($1::uuid[], $2::bytea[], $3::float8[]) AS given (agent_id, series, started)
  JOIN (SELECT id FROM agents WHERE id = ANY ((SELECT $1::uuid[])::uuid[]) FOR KEY SHARE) AS agent ON agent.id = agent_id
  ORDER BY 1, 2, 3
  ON CONFLICT (agent_id, series, started_at) DO UPDATE SET seen_at = excluded.seen_at
  RETURNING agent_id AS "agentId", encode(series, 'hex') AS series, ${MILLISECONDS('started_at')} AS "startedAt",
    ${MILLISECONDS('last_point_at')} AS "lastPointAt", amount`;
const UPDATE = `UPDATE usage_series AS known SET last_point_at = ${MOMENT('given.point_at')}, amount = given.amount
  FROM unnest($1::uuid[], $2::bytea[], $3::float8[], $4::float8[], $5::bigint[])
    AS given (agent_id, series, started, point_at, amount)
  WHERE (known.agent_id, known.series, known.started_at) = (given.agent_id, given.series, ${MOMENT('given.started')})`;

@Injectable()
export class UsageSeriesRepository {
  /** Locks series, each named once; new ones are begun. */
  lock(tx: Transaction, keys: readonly SeriesKey[]): Promise<KnownSeries[]> {
    return rowsOf<KnownSeries>(tx, { name: 'lock_usage_series', text: LOCK }, columnsOf(keys));
  }

  async update(tx: Transaction, series: readonly KnownSeries[]): Promise<void> {
    await rowsOf(tx, { name: 'update_usage_series', text: UPDATE }, [
      ...columnsOf(series),
      series.map(({ lastPointAt }) => lastPointAt),
      series.map(({ amount }) => amount),
    ]);
  }

  /** Deletes series that were not sent for so many days. @returns the number; fewer than `limit`: there are no more */
  deleteSilent(connection: Connection, days: number, limit: number): Promise<number> {
    return deleteOld(connection, UsageSeriesEntity, { since: 'old.seenAt', days }, limit);
  }
}

function columnsOf(keys: readonly SeriesKey[]): unknown[][] {
  return [
    keys.map(({ agentId }) => agentId),
    keys.map(({ series }) => Buffer.from(series, 'hex')),
    keys.map(({ startedAt }) => startedAt),
  ];
}
