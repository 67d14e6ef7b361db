import { Injectable } from '@nestjs/common';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import { bucketsOf } from '../runs/usage.response.js';
import { USAGE_BUCKETS, type UsageBuckets } from '../runs/usage.types.js';

/** Usage of projects today and in this month, by the database's clock in UTC. */
export interface Spending {
  readonly today: UsageBuckets;
  readonly thisMonth: UsageBuckets;
}

/** Bigints in an array would be texts. */
const sums = (condition: string) =>
  `ARRAY[${USAGE_BUCKETS.map((bucket) => `coalesce(sum(${bucket}) ${condition}, 0)::float8`).join(', ')}]`;

/** By hand: sums with a filter. */
const READ = `SELECT ${sums(`FILTER (WHERE hour >= date_trunc('day', now(), 'UTC'))`)} AS today, ${sums('')} AS "thisMonth"
  FROM project_usage WHERE project_id = ANY ($1::uuid[]) AND hour >= date_trunc('month', now(), 'UTC') AND hour <= now()`;

export interface SpentHour {
  readonly hour: string;
  /** Millionths of a dollar. */
  readonly micros: number;
}

@Injectable()
export class SpendingRepository {
  /** Reads a row for each project, hour and model, whatever the number of agents. */
  async read(connection: Connection, projectIds: readonly string[]): Promise<Spending> {
    const [row] = await rowsOf<{ today: number[]; thisMonth: number[] }>(connection, READ, [projectIds]);
    return { today: bucketsOf(row!.today), thisMonth: bucketsOf(row!.thisMonth) };
  }

  /** The cost of priced calls, by the hour; an hour without any is left out. */
  byHour(connection: Connection, projectIds: readonly string[], since: Date): Promise<SpentHour[]> {
    return rowsOf<SpentHour>(
      connection,
      `SELECT hour, sum(cost_micros)::float8 AS micros FROM project_usage
       WHERE project_id = ANY ($1::uuid[]) AND hour >= $2 AND hour <= now() GROUP BY hour`,
      [projectIds, since],
    );
  }
}
