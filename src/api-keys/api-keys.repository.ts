import { Inject, Injectable } from '@nestjs/common';
import { IsNull, Not, type UpdateQueryBuilder } from 'typeorm';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { columnsOf, deleteOld, returnedRows, selectRows } from '../database/entity-rows.js';
import type { Scope } from '../access/scopes.js';
import { holdUser } from '../database/hold-user.js';
import type { Page, PageRequest } from '../database/page.js';
import { idList, PreparedQuery } from '../database/prepared-query.js';
import { readNewest } from '../database/read-page.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { ApiKeyEntity } from './api-key.entity.js';
import type { ApiKey, ApiKeyFilter } from './api-key.types.js';

/** The record with which a presented key is compared. */
export interface StoredApiKey {
  readonly id: string;
  readonly userId: string;
  readonly agentId: string | null;
  readonly scopes: readonly Scope[];
  readonly secretHash: Buffer;
  /**
   * Milliseconds until the key expires, or its revocation takes effect; negative if that has happened, null without
   * either. By the database's clock, so that a revocation also applies on an instance whose clock is slow.
   */
  readonly remainingMs: number | null;
}

export type NewApiKey = Pick<
  ApiKey,
  'id' | 'userId' | 'agentId' | 'name' | 'keyPrefix' | 'scopes' | 'expiresAt'
> & {
  readonly secretHash: Buffer;
};

/** A key that is being replaced; its row stays locked until the transaction ends. */
export interface LockedApiKey extends Pick<ApiKey, 'agentId' | 'name' | 'scopes'> {
  /**
   * True if the key is neither expired nor revoked, and has no later revocation either: it has not been replaced
   * before.
   */
  readonly isReplaceable: boolean;
  /** The lifetime with which it was created, in milliseconds; null: it does not expire. */
  readonly lifetimeMs: number | null;
}

/** SQL for the end of a key; `least` ignores nulls. */
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
  /** Maximum number of active keys of a user, and of each of their agents. */
  readonly maximum: number;

  constructor(@Inject(SETTINGS) settings: Pick<Settings, 'MAX_API_KEYS_PER_USER'>) {
    this.maximum = settings.MAX_API_KEYS_PER_USER;
  }

  /**
   * Returns true if one more key stays within {@link maximum}, and guarantees it until the transaction ends.
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

  /** Inserts a key. A new key is active until its expiry. */
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

  /** Lists keys, newest first, including revoked and expired ones. Rows are small: a name of 200 characters at most. */
  list(
    connection: Connection,
    { userId, agentId, kind }: ApiKeyFilter,
    request: PageRequest,
  ): Promise<Page<ApiKey>> {
    const newestFirst = connection
      .createQueryBuilder(ApiKeyEntity, 'key')
      .select(COLUMNS)
      .where({ userId, ...(agentId && { agentId }) });
    if (kind) newestFirst.andWhere({ agentId: kind === 'user' ? IsNull() : Not(IsNull()) });
    return readNewest(connection, newestFirst, request);
  }

  /** Reads any number of keys in one statement. @returns for each id its record, or null */
  async findStored(connection: Connection, ids: readonly string[]): Promise<(StoredApiKey | null)[]> {
    const rows = await FIND_STORED.rows<StoredApiKey>(connection, { ids });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id) ?? null);
  }

  /**
   * Locks an agent against its removal until the transaction ends, because a new key must not outlive it. By hand: the
   * table belongs to a feature above, to which the foreign key refers.
   *
   * @returns false if the user has no such agent
   */
  async holdAgent(tx: Transaction, userId: string, agentId: string): Promise<boolean> {
    const rows = await rowsOf(
      tx,
      `SELECT FROM agents WHERE id = $1 AND user_id = $2 AND status <> 'deleting' FOR SHARE`,
      [agentId, userId],
    );
    return rows.length > 0;
  }

  /**
   * Locks the row of the agent, if the key has one, and then that of an owned key. A removal locks them in the same
   * order.
   */
  async lockOwned(tx: Transaction, userId: string, id: string): Promise<LockedApiKey | null> {
    // By hand: the table belongs to a feature above, as in `holdAgent`.
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
   * Revokes a key. A repetition changes nothing; an earlier end stays.
   *
   * @returns the owner; null if they have no such key
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

  /** Revokes a key at once, without a check of the owner; see {@link revokeOwned}. */
  async revoke(tx: Transaction, id: string): Promise<string | null> {
    const [row] = await returnedRows<RevokedKey>(updateRevoked(tx, id, 0));
    return row?.userId ?? null;
  }

  /** @returns ids of the revoked keys */
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
   * Records that these keys were used now. Locked keys are left out: another instance records the same use, or the key
   * is being revoked. By hand: UPDATE has no SKIP LOCKED.
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
   * Deletes keys that were revoked or expired longer ago than a number of days by the database's clock.
   *
   * @returns the number of deleted keys, at most `limit`
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
