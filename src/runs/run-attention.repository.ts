import { Injectable } from '@nestjs/common';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import { uuidFloor } from '../database/uuid-floor.js';
import type { RunStatus } from '../lifecycle/run-lifecycle.js';
import { UNSUCCESSFUL } from './run-statistics.repository.js';
import type { RunsOfAgent } from './run.types.js';
import { agentName, isPresent, OPEN } from './runs.repository.js';

/** By hand: each reads ranges of `runs_project_id_status_id_idx` alone, which grow with the runs that have not ended or have failed. */
const COUNT_OPEN = `SELECT found.status, sum(found.count)::int AS count FROM (
    SELECT run.agent_id, run.status, count(*) AS count FROM runs AS run
    WHERE run.project_id = ANY ($1::uuid[]) AND run.status IN (${OPEN}) GROUP BY run.agent_id, run.status) AS found
  WHERE ${isPresent('found.agent_id')} GROUP BY found.status`;
const AGENTS = (
  condition: string,
  at: string,
) => `SELECT found.*, ${agentName('found."agentId"')} AS "agentName" FROM (
    SELECT run.agent_id AS "agentId", count(*)::int AS count, ${at} AS at FROM runs AS run
    WHERE run.project_id = ANY ($1::uuid[]) AND ${condition} GROUP BY run.agent_id) AS found
  WHERE ${isPresent('found."agentId"')}`;
const FAILED = `${AGENTS(`run.status IN (${UNSUCCESSFUL}) AND run.id >= $2`, 'max(run.ended_at)')}
  ORDER BY found.count DESC, "agentId"`;
const WAITING = `${AGENTS(
  "run.status = 'queued' AND run.available_at < now() - make_interval(secs => $2)",
  'min(run.available_at)',
)} ORDER BY found.at, "agentId"`;

/** Reads what the overview says of runs. */
@Injectable()
export class RunAttentionRepository {
  /** Counts the runs that have not ended. @returns 0 is left out */
  async countOpen(
    connection: Connection,
    projectIds: readonly string[],
  ): Promise<ReadonlyMap<RunStatus, number>> {
    const rows = await rowsOf<{ status: RunStatus; count: number }>(connection, COUNT_OPEN, [projectIds]);
    return new Map(rows.map(({ status, count }) => [status, count]));
  }

  /** The agents with failed runs among those that were asked for since then, those with the most first. */
  failed(connection: Connection, projectIds: readonly string[], since: Date): Promise<RunsOfAgent[]> {
    return rowsOf(connection, FAILED, [projectIds, uuidFloor(since)]);
  }

  /** The agents with queued runs that have been due for longer than this, the oldest first. */
  waiting(connection: Connection, projectIds: readonly string[], seconds: number): Promise<RunsOfAgent[]> {
    return rowsOf(connection, WAITING, [projectIds, seconds]);
  }
}
