import { Injectable } from '@nestjs/common';
import { deleteOld } from '../../database/deleted-rows.js';
import { returnedRows } from '../../database/entity-rows.js';
import { rowsOf } from '../../database/sql.js';
import type { Connection, Transaction } from '../../database/transaction.js';
import { PasswordLinkEntity } from './password-link.entity.js';

@Injectable()
export class PasswordLinksRepository {
  /**
   * Replaces the account's link. By hand: the expiry is computed by the database's clock, and TypeORM's upsert takes no
   * expressions.
   *
   * @returns its expiry
   */
  async replace(tx: Transaction, userId: string, tokenHash: Buffer, lifetimeHours: number): Promise<string> {
    const [row] = await rowsOf<{ expiresAt: string }>(
      tx,
      `INSERT INTO password_links AS link (user_id, token_hash, created_at, expires_at)
       VALUES ($1, $2, now(), now() + make_interval(hours => $3))
       ON CONFLICT (user_id) DO UPDATE
         SET token_hash = EXCLUDED.token_hash, created_at = EXCLUDED.created_at, expires_at = EXCLUDED.expires_at
       RETURNING expires_at AS "expiresAt"`,
      [userId, tokenHash, lifetimeHours],
    );
    return row!.expiresAt;
  }

  /** @returns the email of the account of a valid link; null if there is none */
  async findEmail(connection: Connection, tokenHash: Buffer): Promise<string | null> {
    // By hand: the table belongs to another feature, to which the foreign key refers.
    const [row] = await rowsOf<{ email: string }>(
      connection,
      `SELECT email FROM password_links JOIN users ON users.id = user_id
       WHERE token_hash = $1 AND expires_at > now()`,
      [tokenHash],
    );
    return row?.email ?? null;
  }

  /** Uses a link, which deletes it. @returns the account's id; null if the link is not valid any more */
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

  /** Deletes the account's link: an unused link must not bring back an older password. */
  async deleteOf(tx: Transaction, userId: string): Promise<void> {
    await tx.getRepository(PasswordLinkEntity).delete({ userId });
  }

  /** @returns the number of deleted links, at most `limit` */
  deleteExpired(connection: Connection, limit: number): Promise<number> {
    return deleteOld(connection, PasswordLinkEntity, { since: 'old.expiresAt' }, limit);
  }
}
