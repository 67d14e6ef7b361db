import { Injectable } from '@nestjs/common';
import { deleteOld } from '../database/deleted-rows.js';
import { lists, rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import type { OwnLimit } from './project-limit.types.js';
import { OWN_LIMIT } from './project-limits.repository.js';
import type { Addition } from './quota-counts.js';
import { QuotaUseEntity } from './quota-use.entity.js';
import type { ExceededQuota, QuotaUse } from './quota.types.js';

/** The day by which quotas count. */
export interface QuotaDay {
  readonly day: string;
  /** Until the next one begins. */
  readonly secondsLeft: number;
  /** To the microsecond: two instances that count at once must have different times. */
  readonly now: string;
}

/** A subject as the table has it after an addition. */
export interface AddedUse extends QuotaUse {
  /** True if this addition has reached the limit. */
  readonly isNew: boolean;
  /** The name of the agent; null for a project, and for an agent that was removed. */
  readonly agentName: string | null;
}

const TODAY = `(now() AT TIME ZONE 'UTC')::date`;

const COLUMNS = `CASE WHEN known.subject_id = known.project_id THEN 'project' ELSE 'agent' END AS scope,
  known.subject_id AS "subjectId", known.project_id AS "projectId", known.kind, known.amount::float8 AS amount,
  known.maximum::float8 AS "limit", known.exceeded_at AS "refusedSince"`;

/**
 * By hand: an upsert of many rows, in the order of the key, so that two instances wait for each other without a deadlock. The name
 * is that of a feature above; a statement of its own for each agent would be needed otherwise. A limit that was raised is exceeded
 * again.
 */
const ADD = `WITH added AS (
    INSERT INTO quota_uses AS known (subject_id, day, kind, project_id, amount, maximum, exceeded_at)
    SELECT subject_id, ($6::timestamptz AT TIME ZONE 'UTC')::date, kind, project_id, amount, maximum,
      CASE WHEN amount >= maximum THEN $6::timestamptz END
    FROM unnest(${lists('uuid', 'text', 'uuid', 'bigint', 'bigint')})
      AS given (subject_id, kind, project_id, amount, maximum) ORDER BY subject_id, kind
    ON CONFLICT (subject_id, day, kind) DO UPDATE SET amount = known.amount + excluded.amount,
      maximum = excluded.maximum, project_id = excluded.project_id,
      exceeded_at = CASE WHEN known.amount >= excluded.maximum THEN coalesce(known.exceeded_at, $6::timestamptz)
        WHEN known.amount + excluded.amount >= excluded.maximum THEN $6::timestamptz END
    RETURNING known.*
  )
  SELECT ${COLUMNS}, coalesce(known.exceeded_at = $6::timestamptz, false) AS "isNew", agent.name AS "agentName"
  FROM added AS known LEFT JOIN agents AS agent ON agent.id = known.subject_id AND agent.status <> 'deleting'`;

@Injectable()
export class QuotaUsesRepository {
  async day(connection: Connection): Promise<QuotaDay> {
    const [day] = await rowsOf<QuotaDay>(
      connection,
      `SELECT ${TODAY}::text AS day, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS now,
         extract(epoch FROM (${TODAY} + 1)::timestamp - now() AT TIME ZONE 'UTC')::float8 AS "secondsLeft"`,
    );
    return day!;
  }

  /**
   * Adds amounts to those of a day, each subject once.
   *
   * @param now the database's time, as {@link day} has read it: a subject that has it as its first excess is over the limit by this addition
   * @returns their sums
   */
  add(tx: Transaction, now: string, additions: readonly Addition[]): Promise<AddedUse[]> {
    return rowsOf<AddedUse>(tx, { name: 'add_quota_uses', text: ADD }, [
      additions.map(({ subjectId }) => subjectId),
      additions.map(({ kind }) => kind),
      additions.map(({ projectId }) => projectId),
      additions.map(({ amount }) => amount),
      additions.map(({ limit }) => limit),
      now,
    ]);
  }

  /** The limits of single projects that were set or taken away since a time. By hand: `-infinity`. */
  listChangedLimits(connection: Connection, since: string): Promise<OwnLimit[]> {
    return rowsOf<OwnLimit>(
      connection,
      `SELECT ${OWN_LIMIT} FROM project_limits WHERE changed_at >= $1::timestamptz`,
      [since],
    );
  }

  /** The subjects that have reached a limit today, since a time. By hand: the database's day. */
  listExceeded(connection: Connection, since: string): Promise<QuotaUse[]> {
    return rowsOf<QuotaUse>(
      connection,
      `SELECT ${COLUMNS} FROM quota_uses AS known WHERE day = ${TODAY} AND exceeded_at >= $1::timestamptz`,
      [since],
    );
  }

  /**
   * The limits that these projects and their agents have reached today, the newest first; see `quota_uses_exceeded_project_id_day_idx`.
   * By hand: the database's day, and the name, which is that of a feature above.
   */
  listExceededOf(connection: Connection, projectIds: readonly string[]): Promise<ExceededQuota[]> {
    return rowsOf<ExceededQuota>(
      connection,
      `SELECT ${COLUMNS}, agent.name AS "agentName" FROM quota_uses AS known
       LEFT JOIN agents AS agent ON agent.id = known.subject_id AND agent.status <> 'deleting'
       WHERE known.project_id = ANY ($1::uuid[]) AND day = ${TODAY} AND exceeded_at IS NOT NULL
         AND (agent.id IS NOT NULL OR known.subject_id = known.project_id)
       ORDER BY exceeded_at DESC, subject_id, kind`,
      [projectIds],
    );
  }

  /** The use of limits by these agents or projects today. By hand: the database's day. */
  listOf(connection: Connection, subjectIds: readonly string[]): Promise<QuotaUse[]> {
    return rowsOf<QuotaUse>(
      connection,
      `SELECT ${COLUMNS} FROM quota_uses AS known WHERE subject_id = ANY ($1::uuid[]) AND day = ${TODAY}`,
      [subjectIds],
    );
  }

  /** Deletes the counts of days before yesterday. @returns their number; fewer than `limit`: there are no more */
  deleteOld(connection: Connection, limit: number): Promise<number> {
    return deleteOld(connection, QuotaUseEntity, { since: 'old.day', days: 2 }, limit);
  }
}
