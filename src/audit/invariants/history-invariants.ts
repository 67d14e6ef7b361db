import type { Invariant } from '../invariant.types.js';
import {
  BOUND_EVENTS,
  CAUSE_ROWS,
  NO_STATUS,
  RAISING_EVENTS,
  SOURCE,
  STEP_EVENTS,
  STEP_ROWS,
  SUCCESSION_ROWS,
} from '../lifecycle-rows.js';

/**
 * SQL condition for an event that is younger than the retention: older events may have been deleted, so gaps are
 * allowed there.
 */
const YOUNG = `created_at > now() - make_interval(secs => (SELECT history_seconds FROM bounds))`;

/** SQL condition for an event of a project that has not been deleted: of others only the histories of deployments that left them stay. */
const PRESENT = 'EXISTS (SELECT FROM projects WHERE projects.id = event.user_id AND deleted_at IS NULL)';

const LAST_EVENT = `CROSS JOIN LATERAL (
    SELECT * FROM deployment_events AS event WHERE event.deployment_id = deployment.id ORDER BY sequence DESC LIMIT 1
  ) AS event`;

/** The history of each deployment is complete, allowed by the state machine, and leads to the deployment's state. */
export const HISTORY_INVARIANTS: readonly Invariant[] = [
  {
    name: 'history-without-gaps',
    sentence: 'The events of a deployment are numbered without a gap and without a double.',
    statement: `SELECT DISTINCT deployment_id AS id FROM (
        SELECT deployment_id, sequence, lag(sequence) OVER (PARTITION BY deployment_id ORDER BY sequence) AS before
        FROM deployment_events WHERE ${YOUNG}
      ) AS event WHERE sequence <> before + 1`,
  },
  {
    name: 'history-from-the-first',
    sentence: 'The history of a deployment begins with number 1, unless it is older than history is kept.',
    statement: `SELECT id FROM deployments AS deployment WHERE ${YOUNG} AND NOT EXISTS (
        SELECT FROM deployment_events WHERE deployment_id = deployment.id AND sequence = 1)`,
  },
  {
    name: 'history-of-legal-steps',
    sentence:
      'Each event follows from the status before it, by a step that the lifecycle has for whoever took it.',
    statement: `SELECT DISTINCT deployment_id AS id FROM (
        SELECT *, lag(status) OVER (PARTITION BY deployment_id ORDER BY sequence) AS status_before,
          CASE WHEN event_type IN (${STEP_EVENTS})
            THEN (event_type, coalesce(previous_status, '${NO_STATUS}'), status, ${SOURCE}) IN (VALUES ${STEP_ROWS})
            ELSE previous_status = status END AS is_legal
        FROM deployment_events
      ) AS event
      WHERE is_legal IS NOT TRUE OR (sequence = 1) <> (previous_status IS NULL)
        OR (status_before IS NOT NULL AND previous_status IS DISTINCT FROM status_before)`,
  },
  {
    name: 'history-of-earned-recoveries',
    sentence: 'A deployment recovers only from what the lifecycle lets it recover from.',
    statement: `SELECT DISTINCT deployment_id AS id FROM (
        SELECT deployment_id, event_type, lag(event_type) OVER (PARTITION BY deployment_id ORDER BY sequence) AS before
        FROM deployment_events WHERE event_type IN (${STEP_EVENTS})
      ) AS event
      WHERE event_type IN (${BOUND_EVENTS}) AND before IS NOT NULL
        AND (event_type, before) NOT IN (VALUES ${SUCCESSION_ROWS})`,
  },
  {
    name: 'history-leads-to-status',
    sentence: "A deployment's status, replicas and last number are those of its last event.",
    statement: `SELECT deployment.id FROM deployments AS deployment ${LAST_EVENT}
      WHERE (deployment.status, deployment.replicas, deployment.last_sequence)
        IS DISTINCT FROM (event.status, event.replicas, event.sequence)`,
  },
  {
    name: 'history-leads-to-failure-cause',
    sentence: 'A deployment says why it failed as its last step does, and says nothing unless it failed.',
    statement: `SELECT deployment.id FROM deployments AS deployment CROSS JOIN LATERAL (
        SELECT event_type, ${SOURCE} AS source FROM deployment_events AS event
        WHERE event.deployment_id = deployment.id AND event_type IN (${STEP_EVENTS})
        ORDER BY sequence DESC LIMIT 1
      ) AS step
      LEFT JOIN (VALUES ${CAUSE_ROWS}) AS cause (event_type, source, failure_cause)
        ON (cause.event_type, cause.source) = (step.event_type, step.source)
      WHERE deployment.failure_cause IS DISTINCT FROM cause.failure_cause`,
  },
  {
    name: 'history-leads-to-generation',
    sentence: 'The generation of a deployment is one, and one more for each scale and restart.',
    statement: `SELECT deployment.id FROM deployments AS deployment JOIN (
        SELECT deployment_id, count(*) FILTER (WHERE event_type IN (${RAISING_EVENTS})) AS raised
        FROM deployment_events GROUP BY deployment_id HAVING min(sequence) = 1
      ) AS history ON history.deployment_id = deployment.id
      WHERE generation <> 1 + raised OR start_generation > generation OR observed_generation > generation`,
  },
  {
    name: 'deployments-end-once',
    sentence: 'A deployment has a time at which it ended if it has ended, and none while it is active.',
    statement: `SELECT id FROM deployments
      WHERE (ended_at IS NULL) <> (status IN ('deploying', 'running', 'ready'))`,
  },
  {
    name: 'history-of-the-agent',
    sentence: "The events of a deployment name the deployment's own agent.",
    statement: `SELECT DISTINCT deployment.id FROM deployments AS deployment
      JOIN deployment_events AS event ON event.deployment_id = deployment.id
      WHERE event.agent_id <> deployment.agent_id`,
  },
  {
    name: 'project-events-without-gaps',
    sentence: 'The events of a project are numbered without a gap and without a double.',
    statement: `SELECT DISTINCT user_id AS id FROM (
        SELECT user_id, user_sequence, lag(user_sequence) OVER (PARTITION BY user_id ORDER BY user_sequence) AS before
        FROM deployment_events WHERE user_sequence IS NOT NULL AND ${YOUNG}
      ) AS event WHERE user_sequence <> before + 1 AND ${PRESENT}`,
  },
  {
    name: 'project-events-from-the-first',
    sentence:
      'The events of a project begin with number 1, unless the project is older than history is kept.',
    statement: `SELECT projects.id FROM projects JOIN user_event_counters AS counter ON counter.user_id = projects.id
      WHERE ${YOUNG} AND projects.deleted_at IS NULL AND NOT EXISTS (
        SELECT FROM deployment_events WHERE user_id = projects.id AND user_sequence = 1)`,
  },
  {
    name: 'project-events-counted',
    sentence: "The last number among a project's events is what the project's counter says.",
    statement: `SELECT counter.user_id AS id FROM user_event_counters AS counter CROSS JOIN LATERAL (
        SELECT user_sequence FROM deployment_events AS event
        WHERE event.user_id = counter.user_id AND user_sequence IS NOT NULL ORDER BY user_sequence DESC LIMIT 1
      ) AS event WHERE counter.last_sequence <> event.user_sequence
        AND EXISTS (SELECT FROM projects WHERE projects.id = counter.user_id AND deleted_at IS NULL)`,
  },
  {
    name: 'project-events-get-their-numbers',
    sentence: 'An event has its number in the project after an hour of a running service.',
    statement: `SELECT id FROM deployment_events CROSS JOIN bounds
      WHERE user_sequence IS NULL AND created_at < now() - interval '1 hour' AND running_seconds > 3600`,
  },
];
