import { Injectable } from '@nestjs/common';
import { deleteOld, returnedRows } from '../../database/entity-rows.js';
import { rowsOf } from '../../database/sql.js';
import type { Connection, Transaction } from '../../database/transaction.js';
import { PasswordLinkEntity } from './password-link.entity.js';

@Injectable()
export class PasswordLinksRepository {
  /**
   * Replaces the link that the account had. By hand: the end is counted by the database's clock, and TypeORM's upsert
   * takes no expressions.
   *
   * @returns its end
   */
  async replace(tx: Transaction, userId: string, tokenHash: Buffer, lifetimeHours: number): Promise<string> {
    const [row] = await rowsOf<{ expiresAt: string }>(
      tx,
      `INSERT INTO password_links AS link (user_id, token_hash, expires_at)
       VALUES ($1, $2, now() + make_interval(hours => $3))
       ON CONFLICT (user_id) DO UPDATE
         SET token_hash = EXCLUDED.token_hash, created_at = now(), expires_at = EXCLUDED.expires_at
       RETURNING expires_at AS "expiresAt"`,
      [userId, tokenHash, lifetimeHours],
    );
    return row!.expiresAt;
  }

  /** @returns the email of the account whose link is good now; null when there is none */
  async findEmail(connection: Connection, tokenHash: Buffer): Promise<string | null> {
    // By hand: the table of another feature, as the foreign key does.
    const [row] = await rowsOf<{ email: string }>(
      connection,
      `SELECT email FROM password_links JOIN users ON users.id = user_id
       WHERE token_hash = $1 AND expires_at > now()`,
      [tokenHash],
    );
    return row?.email ?? null;
  }

  /** Uses the link up. @returns the account's id; null when the link is not good any more */
  async take(tx: Transaction, tokenHash: Buffer): Promise<string | null> {
    const [row] = await returnedRows<{ userId: string }>(
      tx
        .createQueryBuilder()
        .delete()
        .from(PasswordLinkEntity)
        .where('token_hash = :tokenHash AND expires_at > now()', { tokenHash })
        .returning('user_id AS "userId"'),
    );
    return row?.userId ?? null;
  }

  /** A link that is not used must not bring back an older password. */
  async deleteOf(tx: Transaction, userId: string): Promise<void> {
    await tx.getRepository(PasswordLinkEntity).delete({ userId });
  }

  /** @returns how many, at most `limit` */
  deleteExpired(connection: Connection, limit: number): Promise<number> {
    return deleteOld(connection, PasswordLinkEntity, { since: 'old.expiresAt' }, limit);
  }
}
