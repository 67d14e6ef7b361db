import { Injectable } from '@nestjs/common';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import { uuidFloor } from '../database/uuid-times.js';
import { FAILING_WORKLOADS } from '../lifecycle/agent-health.js';
import type { RunStatus } from '../lifecycle/run-lifecycle.js';
import { UNSUCCESSFUL } from './run-statistics.repository.js';
import type { FailedRunsOfAgent, RunsOfAgent } from './run.types.js';
import { agentName, isPresent, OPEN } from './runs.repository.js';

/** By hand: each reads ranges of `runs_project_id_status_id_idx` alone, which grow with the runs that have not ended or have failed. */
const COUNT_OPEN = `SELECT found.status, sum(found.count)::int AS count FROM (
    SELECT run.agent_id, run.status, count(*) AS count FROM runs AS run
    WHERE run.project_id = ANY ($1::uuid[]) AND run.status IN (${OPEN}) GROUP BY run.agent_id, run.status) AS found
  WHERE ${isPresent('found.agent_id')} GROUP BY found.status`;
/** Number of an agent's runs after its newest failed one among which a success is looked for: there may be many that wait. */
const LATER_RUNS = 100;
/**
 * Besides, it reads a few later runs of each of these agents by `runs_agent_id_id_idx`. PostgreSQL before 18 has no greatest UUID, and
 * as texts they have the same order.
 */
const FAILED = `SELECT found.*, agent.name AS "agentName",
    agent.workload IN (${FAILING_WORKLOADS.map((workload) => `'${workload}'`).join(', ')}) AS "isFailing",
    EXISTS (SELECT FROM (SELECT status, ended_at FROM runs WHERE agent_id = found."agentId" AND id > found."runId"
        ORDER BY id LIMIT ${LATER_RUNS}) AS later
      WHERE later.status = 'succeeded' AND later.ended_at > found.at) AS "isOver"
  FROM (SELECT run.agent_id AS "agentId", count(*)::int AS count, max(run.ended_at) AS at, max(run.id::text)::uuid AS "runId"
    FROM runs AS run
    WHERE run.project_id = ANY ($1::uuid[]) AND run.status IN (${UNSUCCESSFUL}) AND run.id >= $2 GROUP BY run.agent_id) AS found
  JOIN agents AS agent ON agent.id = found."agentId" AND agent.status <> 'deleting'
  ORDER BY found.count DESC, "agentId"`;
const WAITING = `SELECT found.*, ${agentName('found."agentId"')} AS "agentName" FROM (
    SELECT run.agent_id AS "agentId", count(*)::int AS count, min(run.available_at) AS at FROM runs AS run
    WHERE run.project_id = ANY ($1::uuid[]) AND run.status = 'queued'
      AND run.available_at < now() - make_interval(secs => $2) GROUP BY run.agent_id) AS found
  WHERE ${isPresent('found."agentId"')} ORDER BY found.at, "agentId"`;

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
  failed(connection: Connection, projectIds: readonly string[], since: Date): Promise<FailedRunsOfAgent[]> {
    return rowsOf(connection, FAILED, [projectIds, uuidFloor(since)]);
  }

  /** The errors of runs, by their ids. */
  async errorsOf(
    connection: Connection,
    runIds: readonly string[],
  ): Promise<ReadonlyMap<string, string | null>> {
    const rows = await rowsOf<{ id: string; error: string | null }>(
      connection,
      'SELECT id, error FROM runs WHERE id = ANY ($1::uuid[])',
      [runIds],
    );
    return new Map(rows.map(({ id, error }) => [id, error]));
  }

  /** The agents with queued runs that have been due for longer than this, the oldest first. */
  waiting(connection: Connection, projectIds: readonly string[], seconds: number): Promise<RunsOfAgent[]> {
    return rowsOf(connection, WAITING, [projectIds, seconds]);
  }
}
