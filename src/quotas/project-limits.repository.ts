import { Injectable } from '@nestjs/common';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import type { LimitChanges, OwnLimit } from './project-limit.types.js';

/** The columns of an {@link OwnLimit}. */
export const OWN_LIMIT = 'project_id AS "projectId", kind, maximum::float8 AS maximum';

/** SQL by hand: an upsert of many rows, and the database's clock. */
@Injectable()
export class ProjectLimitsRepository {
  /** The limits that these projects have for themselves. */
  list(connection: Connection, projectIds: readonly string[]): Promise<OwnLimit[]> {
    return rowsOf<OwnLimit>(
      connection,
      `SELECT ${OWN_LIMIT} FROM project_limits WHERE project_id = ANY ($1::uuid[]) AND maximum IS NOT NULL`,
      [projectIds],
    );
  }

  /** Changes limits of a project that the transaction has locked. */
  async set(tx: Transaction, projectId: string, changes: LimitChanges): Promise<void> {
    await rowsOf(
      tx,
      `INSERT INTO project_limits (project_id, kind, maximum, changed_at)
       SELECT $1, kind, maximum, now() FROM unnest($2::text[], $3::bigint[]) AS given (kind, maximum)
       ON CONFLICT (project_id, kind) DO UPDATE SET maximum = excluded.maximum, changed_at = excluded.changed_at`,
      [projectId, Object.keys(changes), Object.values(changes)],
    );
  }
}
