import type { Invariant } from '../invariant.types.js';

/** Each link with the one before it. Entries before the first one are unknown: the retention deletes links, too. */
const LINKS = `SELECT link.*, lag(day) OVER places AS earlier_day, lag(number) OVER places AS earlier_number,
    lag(hash) OVER places AS earlier_hash
  FROM audit_chain AS link WINDOW places AS (ORDER BY day, number)`;

const FOLLOWS = `(number = 1 AND day > earlier_day OR day = earlier_day AND number = earlier_number + 1)`;

/** The time of an identifier of version 7. */
const timeOf = (id: string) =>
  `to_timestamp(('x' || left(replace(${id}::text, '-', ''), 12))::bit(48)::bigint / 1000.0)`;

/** Invariants of the audit log's chain; `audit verify` checks these alone. */
export const AUDIT_LOG_INVARIANTS: readonly Invariant[] = [
  {
    name: 'audit-chain-is-whole',
    sentence: 'Each link of the audit log follows the one before it: none is missing.',
    statement: `SELECT day || '/' || number AS id FROM (${LINKS}) AS link
      WHERE earlier_day IS NOT NULL AND NOT ${FOLLOWS}`,
  },
  {
    name: 'audit-chain-is-true',
    // An erased entry without a salt has nothing to compare: `audit-unproven-erasures-are-old` says which may be.
    sentence: 'Each entry of the audit log is as it was when it was linked, and in its place.',
    statement: `SELECT link.entry_id AS id FROM (${LINKS}) AS link JOIN audit_log AS entry ON entry.id = link.entry_id
      WHERE ${FOLLOWS} AND hash <> audit_link_hash(earlier_hash, entry) AND erased_hash IS DISTINCT FROM ''`,
  },
  {
    name: 'audit-erasures-are-recorded',
    sentence:
      'What an entry of the audit log said of a person is erased only after the deletion of their account.',
    statement: `SELECT entry.id FROM audit_log AS entry CROSS JOIN bounds
      WHERE erased_hash IS NOT NULL AND ${timeOf('entry.id')} > now() - make_interval(secs => audit_seconds)
        AND NOT EXISTS (SELECT FROM audit_log AS deletion WHERE deletion.action = 'user.delete' AND deletion.outcome = 'success'
          AND deletion.target_id IN (entry.user_id, entry.owner_id))`,
  },
  {
    name: 'audit-unproven-erasures-are-old',
    sentence:
      'Each erased entry of the audit log has a hash that proves what it was, unless it is older than all with a salt.',
    statement: `SELECT entry.id FROM audit_log AS entry, (SELECT id FROM audit_log
        WHERE salt IS NOT NULL OR erased_hash <> '' ORDER BY id LIMIT 1) AS oldest
      WHERE erased_hash = '' AND ${timeOf('entry.id')} > ${timeOf('oldest.id')} + interval '1 hour'`,
  },
  {
    name: 'audit-entries-are-kept',
    sentence: 'Each linked entry of the audit log is there until its retention is over.',
    statement: `SELECT entry_id AS id FROM audit_chain CROSS JOIN bounds
      WHERE ${timeOf('entry_id')} > now() - make_interval(secs => audit_seconds)
        AND NOT EXISTS (SELECT FROM audit_log WHERE audit_log.id = entry_id)`,
  },
  {
    name: 'audit-entries-are-linked',
    sentence: 'Each entry of the audit log that is an hour older than the last linked one is linked, too.',
    statement: `SELECT entry.id FROM audit_log AS entry, (SELECT entry_id AS id FROM audit_chain ORDER BY entry_id DESC LIMIT 1) AS newest
      WHERE ${timeOf('entry.id')} < ${timeOf('newest.id')} - interval '1 hour'
        AND NOT EXISTS (SELECT FROM audit_chain WHERE entry_id = entry.id)`,
  },
];
