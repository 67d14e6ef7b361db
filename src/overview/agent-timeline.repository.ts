import { Injectable } from '@nestjs/common';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import { uuidFloor } from '../database/uuid-times.js';
import type { TimelineEntry, TimelineRange } from './agent-timeline.types.js';

/** Longest part of a message; the page of its resource has all of it. */
const MESSAGE = 500;
/** Entries of one kind that may share a millisecond at the end of a page. A page ends with all entries of its last millisecond. */
const SHARED = 50;
/** After all times. */
const LATEST = new Date(8_000_000_000_000);

/** SQL for the time with which an id begins. */
const TIME_OF_ID = `timestamptz 'epoch' + ('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint * interval '1 millisecond'`;

/**
 * By hand: five tables are merged. Each is read backwards by an index, and no further than a page. Four indexes begin with the agent:
 * `deployment_events_agent_id_created_at_idx`, `runs_agent_id_id_idx` (an id begins with its time), `approvals_agent_id_requested_at_idx` and
 * the key of `agent_configs`. The steps of budgets are those of the audit log, read by `audit_log_target_id_id_idx` for each budget that
 * limits the agent; a budget for runs is left out, because its steps are about single runs. Replies show milliseconds, so pages end with
 * them.
 */
const READ = `WITH step AS (
    SELECT created_at, deployment_id, event_type, error_message, actor, replicas FROM deployment_events
    WHERE agent_id = $1 AND created_at < $2 ORDER BY created_at DESC LIMIT $4
  ), run AS (
    SELECT id, status, name, error, ended_at, config_version, ${TIME_OF_ID} AS at
    FROM runs WHERE agent_id = $1 AND id < $3 ORDER BY id DESC LIMIT $4
  ), approval AS (
    SELECT id, state, title, reason, requested_at, decided_at, decided_by FROM approvals
    WHERE agent_id = $1 AND requested_at < $2 ORDER BY requested_at DESC LIMIT $4
  ), config AS (
    SELECT config_version, actor, created_at FROM agent_configs
    WHERE agent_id = $1 AND created_at < $2 ORDER BY config_version DESC LIMIT $4
  ), budget AS (
    SELECT told.at, told.event, limiting.id, limiting.name FROM agents
    JOIN budgets AS limiting ON limiting.project_id = agents.user_id AND limiting.period <> 'run' AND (
      limiting.agent_id = agents.id OR limiting.agent_id IS NULL AND (limiting.label IS NULL OR agents.labels @> limiting.label))
    CROSS JOIN LATERAL (
      SELECT ${TIME_OF_ID} AS at, CASE action WHEN 'budget.warn' THEN 'warning' ELSE 'exceeded' END AS event FROM audit_log
      WHERE target_id = limiting.id AND id < $3 AND action IN ('budget.warn', 'budget.exceed') ORDER BY id DESC LIMIT $4
    ) AS told
    WHERE agents.id = $1 ORDER BY told.at DESC LIMIT $4
  ), entry AS (
    SELECT step.created_at AS at, NULL::timestamptz AS "endedAt", 'deployment' AS kind, deployment_id AS id, event_type AS event,
      NULL AS title, left(step.error_message, ${MESSAGE}) AS message, step.actor, deployments.config_version AS "configVersion",
      step.replicas
    FROM step LEFT JOIN deployments ON deployments.id = deployment_id
    UNION ALL SELECT at, ended_at, 'run', id, status, name, left(error, ${MESSAGE}), NULL, config_version, NULL FROM run
    UNION ALL SELECT requested_at, decided_at, 'approval', id, state, title, left(reason, ${MESSAGE}), decided_by, NULL, NULL FROM approval
    UNION ALL SELECT created_at, NULL, 'config', NULL, 'saved', NULL, NULL, actor, config_version, NULL FROM config
    UNION ALL SELECT at, NULL, 'budget', id, event, name, NULL, NULL, NULL, NULL FROM budget
  )
  SELECT * FROM entry ORDER BY date_trunc('milliseconds', at) DESC FETCH FIRST ($5) ROWS WITH TIES`;

/** Reads what happened to an agent, in the order of time. */
@Injectable()
export class AgentTimelineRepository {
  /** @returns entries, newest first; a few more than the limit if the last ones share a millisecond */
  read(
    connection: Connection,
    agentId: string,
    { until = LATEST, limit }: TimelineRange,
  ): Promise<TimelineEntry[]> {
    const range = [until.toISOString(), uuidFloor(until)];
    return rowsOf<TimelineEntry>(connection, READ, [agentId, ...range, limit + SHARED, limit]);
  }
}
