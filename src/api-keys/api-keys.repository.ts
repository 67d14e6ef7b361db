import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../database/page.js';
import { readSqlPage } from '../database/read-sql-page.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import type { ApiKey } from './api-key.types.js';

/** What a presented key is checked against. */
export interface StoredApiKey {
  readonly id: string;
  readonly userId: string;
  readonly agentId: string | null;
  readonly secretHash: Buffer;
  /**
   * Milliseconds until it expires, or its revocation takes effect; negative when that has happened, null when
   * neither is foreseen. By the database's clock, so a revocation does not wait for an instance whose own is slow.
   */
  readonly remainingMs: number | null;
}

export type NewApiKey = Pick<ApiKey, 'id' | 'userId' | 'agentId' | 'name' | 'keyPrefix' | 'expiresAt'> & {
  readonly secretHash: Buffer;
};

/** A key that is to be replaced; its row stays locked until the transaction ends. */
export interface LockedApiKey extends Pick<ApiKey, 'agentId' | 'name'> {
  /** Neither expired nor revoked, and no revocation foreseen either: it has not been replaced before. */
  readonly isReplaceable: boolean;
  /** For how long it was made, in milliseconds; null: for ever. */
  readonly lifetimeMs: number | null;
}

/** `least` passes over nulls. */
const END = 'least(expires_at, revoked_at)';
const KEY_COLUMNS = `id, user_id AS "userId", agent_id AS "agentId", name, key_prefix AS "keyPrefix",
  coalesce(${END} > now(), true) AS "isActive", last_used_at AS "lastUsedAt",
  CASE WHEN revoked_at > now() THEN ${END} ELSE expires_at END AS "expiresAt", created_at AS "createdAt"`;

/** SQL by hand: whether and when a key ends is computed by the database's clock, and most statements lock or skip rows. */
@Injectable()
export class ApiKeysRepository {
  async insert(tx: Transaction, key: NewApiKey): Promise<ApiKey> {
    const [row] = await rowsOf<ApiKey>(
      tx,
      `INSERT INTO api_keys (id, user_id, agent_id, name, key_prefix, secret_hash, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       RETURNING ${KEY_COLUMNS}`,
      [key.id, key.userId, key.agentId, key.name, key.keyPrefix, key.secretHash, key.expiresAt],
    );
    return row as ApiKey;
  }

  /** Newest first, revoked and expired ones among them. Rows are small: a name of 200 characters at most. */
  list(connection: Connection, userId: string, request: PageRequest): Promise<Page<ApiKey>> {
    return readSqlPage<ApiKey>(
      connection,
      {
        columns: KEY_COLUMNS,
        from: 'api_keys',
        where: 'user_id = $1',
        orderBy: 'id DESC',
        parameters: [userId],
      },
      request,
    );
  }

  /** One statement for any number of ids. @returns for each its record, or null */
  async findStored(connection: Connection, ids: readonly string[]): Promise<(StoredApiKey | null)[]> {
    const rows = await rowsOf<StoredApiKey>(
      connection,
      `SELECT id, user_id AS "userId", agent_id AS "agentId", secret_hash AS "secretHash",
         (extract(epoch FROM ${END} - now()) * 1000)::float8 AS "remainingMs"
       FROM api_keys WHERE id = ANY ($1::uuid[])`,
      [ids],
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id) ?? null);
  }

  /**
   * Keeps an agent from being removed until the transaction ends: a key that it gets now must not outlive it. This
   * reads the table of a feature above, as the foreign key does: who owns an agent is written nowhere else.
   *
   * @returns false where the user has no such agent
   */
  async holdAgent(tx: Transaction, userId: string, agentId: string): Promise<boolean> {
    const rows = await rowsOf(
      tx,
      `SELECT FROM agents WHERE id = $1 AND user_id = $2 AND status <> 'deleting' FOR SHARE`,
      [agentId, userId],
    );
    return rows.length > 0;
  }

  /** Takes an owned key's row, after that of its agent, if it has one: a removal takes them in the same order. */
  async lock(tx: Transaction, userId: string, id: string): Promise<LockedApiKey | null> {
    await rowsOf(
      tx,
      `SELECT FROM agents WHERE id = (SELECT agent_id FROM api_keys WHERE id = $1 AND user_id = $2) FOR SHARE`,
      [id, userId],
    );
    const [row] = await rowsOf<LockedApiKey>(
      tx,
      `SELECT agent_id AS "agentId", name,
         revoked_at IS NULL AND coalesce(expires_at > now(), true) AS "isReplaceable",
         (extract(epoch FROM expires_at - created_at) * 1000)::float8 AS "lifetimeMs"
       FROM api_keys WHERE id = $1 AND user_id = $2
       FOR NO KEY UPDATE`,
      [id, userId],
    );
    return row ?? null;
  }

  /**
   * What is revoked stays so, and is revoked no later than it would have been.
   *
   * @param afterSeconds how long it may still be used
   * @returns false where the user has no such key
   */
  async revoke(tx: Transaction, userId: string, id: string, afterSeconds: number): Promise<boolean> {
    const rows = await rowsOf(
      tx,
      `UPDATE api_keys SET revoked_at = least(revoked_at, now() + make_interval(secs => $3))
       WHERE id = $1 AND user_id = $2
       RETURNING id`,
      [id, userId, afterSeconds],
    );
    return rows.length > 0;
  }

  /** @returns ids of the keys that are gone now */
  async deleteForAgent(tx: Transaction, agentId: string): Promise<string[]> {
    const rows = await rowsOf<{ id: string }>(tx, 'DELETE FROM api_keys WHERE agent_id = $1 RETURNING id', [
      agentId,
    ]);
    return rows.map(({ id }) => id);
  }

  /**
   * Notes that these keys were used now. A key that somebody else is writing is left out: another instance notes
   * the same, or the key is being revoked.
   */
  async touch(connection: Connection, ids: readonly string[]): Promise<void> {
    await rowsOf(
      connection,
      `UPDATE api_keys SET last_used_at = now()
       WHERE id IN (
         SELECT id FROM api_keys
         WHERE id = ANY ($1::uuid[])
           AND (last_used_at IS NULL OR last_used_at < date_trunc('minute', now()))
         FOR NO KEY UPDATE SKIP LOCKED)`,
      [ids],
    );
  }

  /**
   * Deletes keys that were revoked or expired so many days ago, by the database's clock.
   *
   * @returns how many, at most `limit`
   */
  async deleteEnded(connection: Connection, retentionDays: number, limit: number): Promise<number> {
    const rows = await rowsOf(
      connection,
      `DELETE FROM api_keys WHERE id = ANY (ARRAY(
         SELECT id FROM api_keys WHERE ${END} < now() - make_interval(days => $1)
         ORDER BY ${END} LIMIT $2 FOR UPDATE SKIP LOCKED))
       RETURNING 1`,
      [retentionDays, limit],
    );
    return rows.length;
  }
}
