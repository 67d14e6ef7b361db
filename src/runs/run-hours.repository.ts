import { Injectable } from '@nestjs/common';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import { uuidFloor } from '../database/uuid-times.js';
import { UNSUCCESSFUL } from './run-statistics.repository.js';

/** Runs that were asked for within an hour. */
export interface RunsInHour {
  readonly runs: number;
  /** Runs that failed, timed out or were abandoned. */
  readonly failed: number;
}

/**
 * By hand: a range of ids for each hour. It counts entries of `runs_project_id_id_idx` and `runs_project_id_status_id_idx` alone,
 * because the time of a run is in its id.
 */
const COUNT = `SELECT
    (SELECT count(*) FROM runs WHERE project_id = ANY ($1::uuid[]) AND id >= span.since AND id < span.until)::int AS runs,
    (SELECT count(*) FROM runs WHERE project_id = ANY ($1::uuid[]) AND status IN (${UNSUCCESSFUL})
      AND id >= span.since AND id < span.until)::int AS failed
  FROM unnest($2::uuid[], $3::uuid[]) WITH ORDINALITY AS span(since, until, number) ORDER BY span.number`;

/** Counts the runs of some projects by the time at which they were asked for. */
@Injectable()
export class RunHoursRepository {
  /** @param bounds the beginnings of the hours, and the end of the last one */
  count(
    connection: Connection,
    projectIds: readonly string[],
    bounds: readonly Date[],
  ): Promise<RunsInHour[]> {
    const ids = bounds.map((bound) => uuidFloor(bound));
    return rowsOf<RunsInHour>(connection, COUNT, [projectIds, ids.slice(0, -1), ids.slice(1)]);
  }
}
