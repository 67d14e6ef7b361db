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
    name: 'unconfirmed-factors-expire',
    sentence: 'No second factor that was never confirmed is kept for long.',
    statement: expired('second_factors', 'id'),
  },
  {
    name: 'factor-challenges-expire',
    sentence: 'No question for a second factor is kept for long after its end.',
    statement: expired('factor_challenges', 'user_id'),
  },
  {
    name: 'second-factors-are-known',
    sentence: 'Each account is said to have a second factor if it has a confirmed one, and only then.',
    statement: `SELECT id FROM users WHERE has_second_factor <> EXISTS (
      SELECT FROM second_factors WHERE user_id = users.id AND expires_at IS NULL)`,
  },
  {
    name: 'recovery-codes-go-with-factors',
    sentence: 'No account without a second factor has recovery codes.',
    statement: `SELECT DISTINCT user_id AS id FROM recovery_codes JOIN users ON users.id = user_id
      WHERE NOT has_second_factor`,
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
    telemetry: 'alone',
  },
  {
    name: 'newsletter-is-counted',
    sentence: 'The number of newsletter subscribers that is told is the number that there is.',
    statement: `SELECT subscribers AS id FROM newsletter_size
      WHERE subscribers <> (SELECT count(*) FROM newsletter_subscribers)`,
  },
];
