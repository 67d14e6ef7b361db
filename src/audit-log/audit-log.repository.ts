import { Injectable } from '@nestjs/common';
import { insertSql } from '../database/insert-sql.js';
import { type PreparedStatement, rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import { AuditEntryEntity } from './audit-entry.entity.js';
import type { StoredAuditEntry } from './audit-log.types.js';

/** Prepared, because each change by a person writes an entry. */
const INSERT: PreparedStatement = { name: 'insert_audit_entries', text: insertSql(AuditEntryEntity) };

@Injectable()
export class AuditLogRepository {
  async insert(connection: Connection, entries: readonly StoredAuditEntry[]): Promise<void> {
    await rowsOf(connection, INSERT, [JSON.stringify(entries)]);
  }

  /**
   * Deletes entries older than a number of days by the database's clock. By hand: a function of the database deletes
   * them, because the role of the service need not have the right.
   *
   * @returns the number of deleted entries, at most `limit`
   */
  async deleteOld(connection: Connection, retentionDays: number, limit: number): Promise<number> {
    const [row] = await rowsOf<{ deleted: number }>(
      connection,
      'SELECT delete_old_audit_entries($1, $2) AS deleted',
      [retentionDays, limit],
    );
    return row!.deleted;
  }

  /**
   * Erases what entries say of the person whose account was deleted: those of the account's acts and its keys', and of guesses
   * at its password. By hand, for the same reason.
   *
   * @param after the last entry that was looked at
   * @returns the last one of at most `limit` that were looked at now; null: there is none after that
   */
  async erase(connection: Connection, userId: string, after: string, limit: number): Promise<string | null> {
    const [row] = await rowsOf<{ last: string | null }>(
      connection,
      'SELECT erase_audit_entries($1, $2, $3) AS last',
      [userId, after, limit],
    );
    return row!.last;
  }
}
