import { Inject, Injectable } from '@nestjs/common';
import { IsNull, Not, type UpdateQueryBuilder } from 'typeorm';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { columnsOf, deleteOld, returnedRows, selectRows } from '../database/entity-rows.js';
import type { Scope } from '../access/scopes.js';
import { holdUser } from '../database/hold-user.js';
import type { Page, PageRequest } from '../database/page.js';
import { idList, PreparedQuery } from '../database/prepared-query.js';
import { readPage } from '../database/read-page.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { ApiKeyEntity } from './api-key.entity.js';
import type { ApiKey, ApiKeyFilter } from './api-key.types.js';

/** The record that a presented key is checked against. */
export interface StoredApiKey {
  readonly id: string;
  readonly userId: string;
  readonly agentId: string | null;
  readonly scopes: readonly Scope[];
  readonly secretHash: Buffer;
  /**
   * Milliseconds until it expires, or its revocation takes effect; negative when that has happened, null when
   * neither is foreseen. By the database's clock, so a revocation does not wait for an instance whose own is slow.
   */
  readonly remainingMs: number | null;
}

export type NewApiKey = Pick<
  ApiKey,
  'id' | 'userId' | 'agentId' | 'name' | 'keyPrefix' | 'scopes' | 'expiresAt'
> & {
  readonly secretHash: Buffer;
};

/** A key that is to be replaced; its row stays locked until the transaction ends. */
export interface LockedApiKey extends Pick<ApiKey, 'agentId' | 'name' | 'scopes'> {
  /** Neither expired nor revoked, and no revocation foreseen either: it has not been replaced before. */
  readonly isReplaceable: boolean;
  /** For how long it was made, in milliseconds; null: for ever. */
  readonly lifetimeMs: number | null;
}

/** When a key ends, as SQL; `least` passes over nulls. */
const endOf = (alias: string) => `least(${alias}.expiresAt, ${alias}.revokedAt)`;
const END = endOf('key');
const COLUMNS = `${columnsOf(ApiKeyEntity, ['id', 'userId', 'agentId', 'name', 'keyPrefix', 'scopes', 'lastUsedAt', 'createdAt'], 'key')},
  coalesce(${END} > now(), true) AS "isActive",
  CASE WHEN key.revokedAt > now() THEN ${END} ELSE key.expiresAt END AS "expiresAt"`;

const FIND_STORED = new PreparedQuery('find_stored_keys', ['ids'], (connection) =>
  selectRows(connection, ApiKeyEntity, 'key', ['id', 'userId', 'agentId', 'scopes', 'secretHash'])
    .addSelect(`(extract(epoch FROM ${END} - now()) * 1000)::float8`, 'remainingMs')
    .where(`key.id = ANY (${idList('ids')})`),
);

@Injectable()
export class ApiKeysRepository {
  /** Keys in force that a user may have, and each of their agents. */
  readonly maximum: number;

  constructor(@Inject(SETTINGS) settings: Pick<Settings, 'MAX_API_KEYS_PER_USER'>) {
    this.maximum = settings.MAX_API_KEYS_PER_USER;
  }

  /**
   * Returns true if one more key stays within {@link maximum}, and keeps it so until the transaction ends.
   *
   * @param agentId null: the user's own keys are counted
   */
  async hasRoom(tx: Transaction, userId: string, agentId: string | null): Promise<boolean> {
    await holdUser(tx, userId);
    const inForce = await tx
      .createQueryBuilder(ApiKeyEntity, 'key')
      .where({ userId, agentId: agentId ?? IsNull() })
      .andWhere(`coalesce(${END} > now(), true)`)
      .getCount();
    return inForce < this.maximum;
  }

  /** A key just made is active, and ends when it was made to. */
  async insert(tx: Transaction, key: NewApiKey): Promise<ApiKey> {
    const [row] = await returnedRows<ApiKey>(
      tx
        .createQueryBuilder()
        .insert()
        .into(ApiKeyEntity)
        .values({ ...key, scopes: [...key.scopes] })
        .returning(`${columnsOf(ApiKeyEntity)}, true AS "isActive"`)
        .updateEntity(false),
    );
    return row!;
  }

  /** Newest first, revoked and expired ones among them. Rows are small: a name of 200 characters at most. */
  list(
    connection: Connection,
    { userId, agentId, kind }: ApiKeyFilter,
    request: PageRequest,
  ): Promise<Page<ApiKey>> {
    const newestFirst = connection
      .createQueryBuilder(ApiKeyEntity, 'key')
      .select(COLUMNS)
      .where({ userId, ...(agentId && { agentId }) })
      .orderBy('key.id', 'DESC');
    if (kind) newestFirst.andWhere({ agentId: kind === 'user' ? IsNull() : Not(IsNull()) });
    return readPage(connection, newestFirst, request);
  }

  /** One statement for any number of ids. @returns for each its record, or null */
  async findStored(connection: Connection, ids: readonly string[]): Promise<(StoredApiKey | null)[]> {
    const rows = await FIND_STORED.rows<StoredApiKey>(connection, { ids });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id) ?? null);
  }

  /**
   * Keeps an agent from being removed until the transaction ends: a key that it gets now must not outlive it. By hand:
   * this reads the table of a feature above, as the foreign key does, and its entity stays in that feature.
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
  async lockOwned(tx: Transaction, userId: string, id: string): Promise<LockedApiKey | null> {
    // By hand: the table of a feature above, as in `holdAgent`.
    await rowsOf(
      tx,
      `SELECT FROM agents WHERE id = (SELECT agent_id FROM api_keys WHERE id = $1 AND user_id = $2) FOR SHARE`,
      [id, userId],
    );
    const row = await selectRows(tx, ApiKeyEntity, 'key', ['agentId', 'name', 'scopes'])
      .addSelect('key.revokedAt IS NULL AND coalesce(key.expiresAt > now(), true)', 'isReplaceable')
      .addSelect('(extract(epoch FROM key.expiresAt - key.createdAt) * 1000)::float8', 'lifetimeMs')
      .where({ id, userId })
      .setLock('for_no_key_update')
      .getRawOne<LockedApiKey>();
    return row ?? null;
  }

  /**
   * Revoking a key once more changes nothing; an earlier end stays.
   *
   * @returns the owner; null where they have no such key
   */
  async revokeOwned(
    tx: Transaction,
    ownerId: string,
    id: string,
    afterSeconds: number,
  ): Promise<string | null> {
    const [row] = await returnedRows<RevokedKey>(
      updateRevoked(tx, id, afterSeconds).andWhere({ userId: ownerId }),
    );
    return row?.userId ?? null;
  }

  /** As {@link revokeOwned}, at once. Does not check the owner. */
  async revoke(tx: Transaction, id: string): Promise<string | null> {
    const [row] = await returnedRows<RevokedKey>(updateRevoked(tx, id, 0));
    return row?.userId ?? null;
  }

  /** @returns ids of the keys that were in force */
  async revokeUserKeys(tx: Transaction, userId: string): Promise<string[]> {
    const rows = await returnedRows<{ id: string }>(
      tx
        .createQueryBuilder()
        .update(ApiKeyEntity)
        .set({ revokedAt: () => 'now()' })
        .where({ userId, agentId: IsNull() })
        .andWhere('(revoked_at IS NULL OR revoked_at > now())')
        .returning('id'),
    );
    return rows.map(({ id }) => id);
  }

  async deleteForAgent(tx: Transaction, agentId: string): Promise<string[]> {
    const rows = await returnedRows<{ id: string }>(
      tx.createQueryBuilder().delete().from(ApiKeyEntity).where({ agentId }).returning('id'),
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Records that these keys were used now. A key that somebody else is writing is left out: another instance records
   * the same, or the key is being revoked. By hand: UPDATE knows no SKIP LOCKED.
   */
  async recordUse(connection: Connection, ids: readonly string[]): Promise<void> {
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
  deleteEnded(connection: Connection, retentionDays: number, limit: number): Promise<number> {
    return deleteOld(connection, ApiKeyEntity, { since: endOf('old'), days: retentionDays }, limit);
  }
}

type RevokedKey = Pick<ApiKeyEntity, 'userId'>;

/** Returns the rows of {@link RevokedKey}. */
function updateRevoked(tx: Transaction, id: string, afterSeconds: number): UpdateQueryBuilder<ApiKeyEntity> {
  return tx
    .createQueryBuilder()
    .update(ApiKeyEntity)
    .set({ revokedAt: () => 'least(revokedAt, now() + make_interval(secs => :afterSeconds))' })
    .where({ id })
    .setParameters({ afterSeconds })
    .returning(columnsOf(ApiKeyEntity, ['userId']));
}
