import { Injectable } from '@nestjs/common';
import { rowsOf } from '../database/sql.js';
import type { Transaction } from '../database/transaction.types.js';
import { Transactor } from '../database/transactor.js';
import type { ApiKey } from './api-key.types.js';

/** What a presented key is checked against. */
export interface StoredApiKey {
  readonly id: string;
  readonly userId: string;
  readonly agentId: string | null;
  readonly secretHash: Buffer;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

export type NewApiKey = Pick<ApiKey, 'id' | 'userId' | 'agentId' | 'name' | 'keyPrefix' | 'expiresAt'> & {
  readonly secretHash: Buffer;
};

const KEY_COLUMNS = `id, user_id AS "userId", agent_id AS "agentId", name, key_prefix AS "keyPrefix",
  last_used_at AS "lastUsedAt", expires_at AS "expiresAt", revoked_at AS "revokedAt", created_at AS "createdAt"`;

@Injectable()
export class ApiKeysRepository {
  constructor(private readonly transactor: Transactor) {}

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

  async findStored(id: string): Promise<StoredApiKey | null> {
    const [row] = await rowsOf<StoredApiKey>(
      this.transactor.reader,
      `SELECT id, user_id AS "userId", agent_id AS "agentId", secret_hash AS "secretHash",
         expires_at AS "expiresAt", revoked_at AS "revokedAt"
       FROM api_keys WHERE id = $1`,
      [id],
    );
    return row ?? null;
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
  async touch(tx: Transaction, ids: readonly string[]): Promise<void> {
    await rowsOf(
      tx,
      `UPDATE api_keys SET last_used_at = now()
       WHERE id IN (
         SELECT id FROM api_keys
         WHERE id = ANY ($1::uuid[])
           AND (last_used_at IS NULL OR last_used_at < date_trunc('minute', now()))
         FOR NO KEY UPDATE SKIP LOCKED)`,
      [ids],
    );
  }
}
