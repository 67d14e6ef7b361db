import { RUN_CREATIONS, type RunTransition, RUN_TRANSITIONS } from '../../lifecycle/run-lifecycle.js';
import type { Invariant } from '../invariant.types.js';
import { NO_STATUS, SOURCE } from '../lifecycle-rows.js';
import { ofOwnRuns } from './relation-invariants.js';

/** The sources that begin a run, besides those of the other steps. */
const CREATORS = { ask: ['user', 'monitor'], begin: ['agent'] } as const satisfies Record<
  keyof typeof RUN_CREATIONS,
  readonly string[]
>;

/** `(event_type, previous_status, status, source)` of every step, as rows of SQL. */
const STEP_ROWS = [
  ...Object.entries(RUN_CREATIONS).flatMap(([how, { to, event }]) =>
    CREATORS[how as keyof typeof CREATORS].map((by) => [event, NO_STATUS, to, by]),
  ),
  ...Object.values<RunTransition>(RUN_TRANSITIONS).flatMap(({ from, to, by, event }) =>
    from.flatMap((status) => by.map((source) => [event, status, to === 'same' ? status : to, source])),
  ),
]
  .map((row) => `(${row.map((text) => `'${text}'`).join(', ')})`)
  .join(', ');

/** The history of each run is complete, allowed by the state machine, and leads to the run's state. */
export const RUN_INVARIANTS: readonly Invariant[] = [
  {
    name: 'runs-without-gaps',
    sentence: 'The events of a run are numbered from 1, without a gap, to its last number.',
    statement: `SELECT run.id FROM runs AS run LEFT JOIN run_events AS event ON event.run_id = run.id
      GROUP BY run.id HAVING count(event.sequence) <> run.last_sequence OR max(event.sequence) <> run.last_sequence`,
  },
  {
    name: 'runs-of-legal-steps',
    sentence: 'Each event of a run follows from the status before it, by a step that the state machine has.',
    statement: `SELECT DISTINCT run_id AS id FROM (
        SELECT *, lag(status) OVER (PARTITION BY run_id ORDER BY sequence) AS status_before,
          (event_type, coalesce(previous_status, '${NO_STATUS}'), status, ${SOURCE}) IN (VALUES ${STEP_ROWS}) AS is_legal
        FROM run_events
      ) AS event
      WHERE is_legal IS NOT TRUE OR previous_status IS DISTINCT FROM status_before`,
  },
  {
    name: 'runs-lead-to-status',
    sentence: "A run's status is that of its last event.",
    statement: `SELECT run.id FROM runs AS run
      JOIN run_events AS event ON event.run_id = run.id AND event.sequence = run.last_sequence
      WHERE (run.status, run.attempt) IS DISTINCT FROM (event.status, event.attempt)`,
  },
  {
    name: 'runs-of-the-owner',
    sentence: "A run belongs to its agent's project.",
    statement: `SELECT run.id FROM runs AS run JOIN agents AS agent ON agent.id = run.agent_id
      WHERE run.project_id <> agent.user_id`,
  },
  ofOwnRuns(
    'logs-of-own-runs',
    "A log entry's run, while it is kept, is one of the entry's agent.",
    'agent_logs',
  ),
  {
    name: 'runs-of-schedules',
    sentence: 'A run has a schedule exactly if it comes from one, and a due time only with a schedule.',
    statement: `SELECT id FROM runs
      WHERE (source = 'schedule') <> (schedule_id IS NOT NULL) OR (due_at IS NOT NULL AND schedule_id IS NULL)`,
  },
  {
    name: 'schedules-of-the-owner',
    sentence: "A schedule belongs to its agent's project.",
    statement: `SELECT schedule.id FROM schedules AS schedule JOIN agents AS agent ON agent.id = schedule.agent_id
      WHERE schedule.project_id <> agent.user_id`,
  },
  {
    name: 'schedules-in-time',
    sentence: 'The due time of a schedule is taken by the monitor of a running service.',
    statement: `SELECT schedule.id FROM bounds CROSS JOIN schedules AS schedule
      JOIN agents AS agent ON agent.id = schedule.agent_id AND agent.status <> 'deleting'
      WHERE running_seconds > margin_seconds AND schedule.next_run_at < now() - make_interval(secs => margin_seconds)`,
  },
  {
    name: 'runs-end-in-time',
    sentence: 'A run whose time is over is ended by the monitor of a running service.',
    statement: `SELECT id FROM runs CROSS JOIN bounds
      WHERE status IN ('running', 'waiting') AND running_seconds > margin_seconds
        AND timeout_at < now() - make_interval(secs => margin_seconds)`,
  },
];
