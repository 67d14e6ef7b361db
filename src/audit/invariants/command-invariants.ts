import type { Invariant } from '../invariant.types.js';
import { COMMAND_ROWS } from '../lifecycle-rows.js';

/** Deliveries of a command before it is `dead`; a test compares it with the queue's own number. */
export const DELIVERIES_OF_A_COMMAND = 5;

/** Tolerance between times of two transactions: `now()` is the beginning of a transaction, not its commit. */
const CLOCK_TOLERANCE = `interval '1 second'`;

const EARLIER = `SELECT FROM commands AS earlier
  WHERE earlier.deployment_id = command.deployment_id AND earlier.sequence < command.sequence`;

/** Commands are delivered at least once, in order for each deployment, and settled once. */
export const COMMAND_INVARIANTS: readonly Invariant[] = [
  {
    name: 'commands-in-one-state',
    sentence: 'What a command says of its lease, its deliveries and its reply agrees with its state.',
    statement: `SELECT id FROM commands
      WHERE (settled_at IS NULL) <> (state IN ('pending', 'leased'))
        OR (acknowledged_at IS NOT NULL) <> (state IN ('succeeded', 'failed'))
        OR attempts NOT BETWEEN 0 AND ${DELIVERIES_OF_A_COMMAND}
        OR (attempts > 0) <> (leased_at IS NOT NULL AND leased_until IS NOT NULL)
        OR (state IN ('pending', 'superseded') AND attempts > 0)
        OR (state = 'leased' AND attempts = 0)
        OR (state = 'dead' AND attempts < ${DELIVERIES_OF_A_COMMAND})`,
  },
  {
    name: 'commands-in-order',
    sentence: 'No command is delivered or answered before every earlier one of its deployment is settled.',
    statement: `SELECT id FROM commands AS command
      WHERE (attempts > 0 OR acknowledged_at IS NOT NULL) AND EXISTS (${EARLIER} AND (earlier.settled_at IS NULL
        OR earlier.settled_at > coalesce(command.leased_at, command.acknowledged_at) + ${CLOCK_TOLERANCE}))`,
  },
  {
    name: 'commands-taken-up',
    sentence: 'No command that is due is passed over while later commands are delivered to the same agent.',
    statement: `SELECT command.id FROM commands AS command CROSS JOIN bounds CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE settled_at IS NULL) AS unsettled, max(settled_at) AS settled_at
        FROM commands AS earlier
        WHERE earlier.deployment_id = command.deployment_id AND earlier.sequence < command.sequence
      ) AS earlier
      WHERE command.settled_at IS NULL AND attempts < ${DELIVERIES_OF_A_COMMAND} AND earlier.unsettled = 0
        AND EXISTS (SELECT FROM commands AS later
          WHERE later.agent_id = command.agent_id AND later.id > command.id AND later.leased_at >
            greatest(command.created_at, command.leased_until, earlier.settled_at)
              + make_interval(secs => margin_seconds))`,
  },
  {
    name: 'commands-given-up-in-time',
    sentence: 'A command whose last lease has ended is given up by the monitor of a running service.',
    statement: `SELECT id FROM commands CROSS JOIN bounds
      WHERE state = 'leased' AND attempts >= ${DELIVERIES_OF_A_COMMAND} AND running_seconds > margin_seconds
        AND leased_until < now() - make_interval(secs => margin_seconds)`,
  },
  {
    name: 'commands-of-their-deployment',
    sentence:
      'A command belongs to the agent of its deployment, and has the number of an event of that deployment.',
    statement: `SELECT command.id FROM commands AS command
      JOIN deployments AS deployment ON deployment.id = command.deployment_id
      WHERE command.agent_id <> deployment.agent_id OR command.sequence > deployment.last_sequence
        OR command.generation > deployment.generation`,
  },
  {
    name: 'commands-of-their-step',
    sentence: 'Each command was made by the event of its number, unless that is no longer kept.',
    statement: `SELECT command.id FROM commands AS command
      JOIN deployment_events AS event USING (deployment_id, sequence)
      WHERE (event.event_type, command.action) NOT IN (VALUES ${COMMAND_ROWS})`,
  },
];
