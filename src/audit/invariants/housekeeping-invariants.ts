import type { Invariant } from '../invariant.types.js';

/**
 * Rows that expired more than a day ago. They are deleted every few minutes, so a remaining one means a failed cleanup.
 */
const expired = (table: string, id: string) => `SELECT ${id} AS id FROM ${table} CROSS JOIN bounds
  WHERE expires_at < now() - interval '1 day' AND running_seconds > 8 * margin_seconds`;

export const HOUSEKEEPING_INVARIANTS: readonly Invariant[] = [
  {
    name: 'somebody-is-operator',
    sentence: 'Where there are operators, at least one of them is active.',
    statement: `SELECT 'no active operator' AS id
      WHERE EXISTS (SELECT FROM users WHERE is_admin)
        AND NOT EXISTS (SELECT FROM users WHERE is_active AND is_admin)`,
  },
  {
    name: 'sessions-expire',
    sentence: 'No session is kept for long after its end.',
    statement: expired('sessions', 'id'),
  },
  {
    name: 'memberships-by-groups-expire',
    sentence: 'No membership by a group is kept for long after its end.',
    statement: expired('project_members', 'user_id'),
  },
  {
    name: 'password-links-expire',
    sentence: 'No one-time link is kept for long after its end.',
    statement: expired('password_links', 'user_id'),
  },
  {
    name: 'sessions-of-active-users',
    sentence: 'No deactivated account has a session.',
    statement: `SELECT session.id FROM sessions AS session JOIN users ON users.id = user_id WHERE NOT is_active`,
  },
  {
    name: 'idempotency-records-expire',
    sentence: 'No reply is kept for an Idempotency-Key for long after its day is over.',
    statement: expired('idempotency_records', `encode(key_hash, 'hex')`),
  },
  {
    name: 'telemetry-batches-expire',
    sentence: 'No key of a batch of logs or metrics is kept for long after its day is over.',
    statement: expired('telemetry_batches', 'agent_id'),
  },
  {
    name: 'newsletter-is-counted',
    sentence: 'The number of newsletter subscribers that is told is the number that there is.',
    statement: `SELECT subscribers AS id FROM newsletter_size
      WHERE subscribers <> (SELECT count(*) FROM newsletter_subscribers)`,
  },
];
