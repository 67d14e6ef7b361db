import { Injectable } from '@nestjs/common';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import type { PastStep, PresentDeployment } from '../lifecycle/health-hours.js';

/** The newest deployments of an agent that are read, and its newest steps. An agent that crash-loops makes some hundreds a day. */
const MOST_DEPLOYMENTS = 20;
export const MOST_STEPS = 500;

/** The deployments and steps from which an agent's health in the last hours follows, oldest first. */
export interface AgentPast {
  readonly agentId: string;
  /** The hour of its creation, counted from the first one; negative: before that. */
  readonly createdHour: number;
  readonly deployments: readonly PresentDeployment[];
  readonly steps: readonly PastStep[];
}

/** SQL for the number of the hour of a time, counted from the first one. */
const hourOf = (time: string) => `floor(extract(epoch FROM ${time} - day.since) / 3600)::int`;

/**
 * By hand: for each agent, the ends of two indexes. Hours are those of the database's clock, which wrote the times.
 */
const READ = `SELECT agent.id AS "agentId", ${hourOf('agent.created_at')} AS "createdHour",
    (SELECT coalesce(jsonb_agg(jsonb_build_object('id', deployment.id, 'status', deployment.status,
        'failureCause', deployment.failure_cause, 'restartPace', deployment.restart_pace, 'isHeld', deployment.is_held)
        ORDER BY deployment.created_at, deployment.id), '[]')
      FROM (SELECT * FROM deployments WHERE agent_id = agent.id ORDER BY created_at DESC, id DESC LIMIT ${MOST_DEPLOYMENTS})
        AS deployment) AS deployments,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('deploymentId', event.deployment_id, 'hour', ${hourOf('event.created_at')},
        'eventType', event.event_type, 'status', event.status, 'previousStatus', event.previous_status)
        ORDER BY event.created_at, event.position), '[]')
      FROM (SELECT * FROM deployment_events WHERE agent_id = agent.id AND created_at >= day.since
        ORDER BY created_at DESC LIMIT ${MOST_STEPS}) AS event) AS steps
  FROM (SELECT date_trunc('hour', now(), 'UTC') - make_interval(hours => $3 - 1) AS since) AS day
    CROSS JOIN agents AS agent
  WHERE agent.id = ANY ($1::uuid[]) AND agent.user_id = ANY ($2::uuid[]) AND agent.status <> 'deleting'`;

@Injectable()
export class HealthHoursRepository {
  /** @param hours the number of hours, the one that runs included */
  read(
    connection: Connection,
    agentIds: readonly string[],
    projectIds: readonly string[],
    hours: number,
  ): Promise<AgentPast[]> {
    return rowsOf<AgentPast>(connection, READ, [agentIds, projectIds, hours]);
  }
}
