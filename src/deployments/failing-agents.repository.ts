import { Injectable } from '@nestjs/common';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import { FAILING_WORKLOADS, type Workload } from '../lifecycle/agent-health.js';
import type { LastExit } from './runtime-report.types.js';

/** An agent whose health is `failing`, with the deployment that decides it. */
export interface FailingAgentRow {
  readonly agentId: string;
  readonly agentName: string;
  readonly workloadReason: string;
  /** How often its deployments failed in the last 24 hours, and when the last time; null: they did not. */
  readonly failures: number;
  readonly failedAt: string | null;
  readonly deploymentId: string | null;
  readonly restarts: number | null;
  readonly errorMessage: string | null;
  readonly lastExit: LastExit | null;
}

/** Failures of the last 24 hours. */
export interface FailureCounts {
  readonly total: number;
  /** Failures of agents that no longer fail. */
  readonly recovered: number;
  readonly recoveredAgents: number;
}

const quoted = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/** Agents that fail, as ranges of an index: SQL for a row of `agent_presence` by the alias `presence`, and its workloads. */
type FailingRanges = readonly { readonly condition: string; readonly workloads: readonly Workload[] }[];

/** SQL for the ids of the failing agents of `project`. Constants, not parameters, lead to the index. */
const failingIn = (ranges: FailingRanges) =>
  ranges
    .map(
      ({
        condition,
        workloads,
      }) => `SELECT presence.agent_id AS id, presence.workload FROM agent_presence AS presence
      WHERE presence.user_id = project.id AND presence.workload IN (${quoted(workloads)}) AND ${condition}`,
    )
    .join(' UNION ALL ');

/**
 * By hand: sums of two tables of features below. It reads the failures of a day by their index, and the agents that
 * fail now by theirs, whatever the number of the others. Events stay after their deployments, which are left out
 * then. Who restarts again and again comes first: of them the last failure may be long ago.
 */
const readFrom = (ranges: FailingRanges) => `WITH failed AS MATERIALIZED (
    SELECT event.agent_id AS id, count(*)::int AS count, max(event.created_at) AS at FROM deployment_events AS event
    WHERE event.user_id = ANY ($1::uuid[]) AND event.status = 'failed' AND event.previous_status <> 'failed'
      AND event.created_at > now() - interval '24 hours'
      AND EXISTS (SELECT FROM deployments WHERE deployments.id = event.deployment_id AND deployments.user_id = event.user_id)
    GROUP BY event.agent_id
  ), counts AS (
    SELECT coalesce(sum(count), 0)::int AS total, coalesce(sum(count) FILTER (WHERE is_over), 0)::int AS recovered,
      (count(*) FILTER (WHERE is_over))::int AS recovered_agents
    FROM (SELECT failed.count, agent.workload NOT IN (${quoted(FAILING_WORKLOADS)}) AS is_over
      FROM failed LEFT JOIN agents AS agent ON agent.id = failed.id) AS known
  ), failing AS (
    SELECT found.*, failed.count, failed.at
    FROM unnest($1::uuid[]) AS project(id) CROSS JOIN LATERAL (${failingIn(ranges)}) AS found LEFT JOIN failed ON failed.id = found.id
    ORDER BY found.workload = 'crash_looping' DESC, failed.at DESC NULLS LAST, found.id LIMIT $2
  )
  SELECT counts.total, counts.recovered, counts.recovered_agents AS "recoveredAgents", agent.id AS "agentId", agent.name AS "agentName",
    agent.workload_reason AS "workloadReason", coalesce(failing.count, 0) AS failures, failing.at AS "failedAt",
    deployment.id AS "deploymentId", deployment.restart_count AS restarts, deployment.error_message AS "errorMessage", deployment.last_exit AS "lastExit"
  FROM counts LEFT JOIN (failing JOIN agents AS agent ON agent.id = failing.id
    LEFT JOIN LATERAL (SELECT * FROM deployments WHERE agent_id = failing.id
      AND (failing.workload <> 'crash_looping' OR restart_pace = 'crash_looping') ORDER BY created_at DESC, id DESC LIMIT 1) AS deployment ON true)
    ON true
  ORDER BY failing.workload = 'crash_looping' DESC, failing.at DESC NULLS LAST, failing.id`;

@Injectable()
export class FailingAgentsRepository {
  /** @param limit number of agents listed */
  async read(
    connection: Connection,
    projectIds: readonly string[],
    ranges: FailingRanges,
    limit: number,
  ): Promise<{ readonly counts: FailureCounts; readonly agents: readonly FailingAgentRow[] }> {
    const rows = await rowsOf<FailureCounts & FailingAgentRow>(connection, readFrom(ranges), [
      projectIds,
      limit,
    ]);
    // The counts are there without an agent, too.
    return { counts: rows[0]!, agents: rows.filter(({ agentId }) => agentId !== null) };
  }
}
