import { Inject, Injectable } from '@nestjs/common';
import { In, IsNull, Not } from 'typeorm';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { deleteOld } from '../database/deleted-rows.js';
import { columnsOf, returnedRows, selectRows } from '../database/entity-rows.js';
import type { Role } from '../access/roles.js';
import type { Scope } from '../access/scopes.js';
import { holdProject } from '../http/held-project.js';
import type { Page, PageRequest } from '../database/page.js';
import { idList, PreparedQuery } from '../database/prepared-query.js';
import { OF_PROJECT, readNewestOf } from '../database/project-pages.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { ApiKeyEntity } from './api-key.entity.js';
import type { ApiKey, ApiKeyFilter } from './api-key.types.js';

/** The record with which a presented key is compared. */
export interface StoredApiKey {
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string | null;
  readonly role: Role | null;
  readonly scopes: readonly Scope[];
  readonly everybody: boolean;
  readonly secretHash: Buffer;
  /**
   * Milliseconds until the key expires, or its revocation takes effect; negative if that has happened, null without
   * either. By the database's clock, so that a revocation also applies on an instance whose clock is slow.
   */
  readonly remainingMs: number | null;
}

export type NewApiKey = Pick<
  ApiKey,
  | 'id'
  | 'projectId'
  | 'createdBy'
  | 'role'
  | 'agentId'
  | 'name'
  | 'keyPrefix'
  | 'scopes'
  | 'everybody'
  | 'expiresAt'
> & {
  readonly secretHash: Buffer;
};

/** A key that is being replaced; its row stays locked until the transaction ends. */
export interface LockedApiKey extends Pick<
  ApiKey,
  'projectId' | 'role' | 'agentId' | 'name' | 'scopes' | 'everybody'
> {
  /**
   * True if the key is neither expired nor revoked, and has no later revocation either: it has not been replaced
   * before.
   */
  readonly isReplaceable: boolean;
  /** The lifetime with which it was created, in milliseconds; null: it does not expire. */
  readonly lifetimeMs: number | null;
}

/** The holder of keys: an agent, or a project with all of its keys. */
export type KeysHolder = { readonly agentId: string } | { readonly projectId: string };

export type RevokedApiKey = Pick<ApiKeyEntity, 'projectId' | 'role' | 'agentId'>;

/** SQL for the end of a key; `least` ignores nulls. */
const endOf = (alias: string) => `least(${alias}.expiresAt, ${alias}.revokedAt)`;
const END = endOf('key');
const COLUMNS = `${columnsOf(ApiKeyEntity, ['id', 'projectId', 'createdBy', 'role', 'agentId', 'name', 'keyPrefix', 'scopes', 'everybody', 'lastUsedAt', 'createdAt'], 'key')},
  coalesce(${END} > now(), true) AS "isActive",
  CASE WHEN key.revokedAt > now() THEN ${END} ELSE key.expiresAt END AS "expiresAt"`;

const FIND_STORED = new PreparedQuery('find_stored_keys', ['ids'], (connection) =>
  selectRows(connection, ApiKeyEntity, 'key', [
    'id',
    'projectId',
    'role',
    'agentId',
    'scopes',
    'everybody',
    'secretHash',
  ])
    .addSelect(`(extract(epoch FROM ${END} - now()) * 1000)::float8`, 'remainingMs')
    .where(`key.id = ANY (${idList('ids')})`),
);

@Injectable()
export class ApiKeysRepository {
  /** Maximum number of active keys of a project, and of each of its agents. */
  readonly maximum: number;

  constructor(@Inject(SETTINGS) settings: Pick<Settings, 'MAX_API_KEYS_PER_PROJECT'>) {
    this.maximum = settings.MAX_API_KEYS_PER_PROJECT;
  }

  /**
   * Returns true if one more key stays within {@link maximum}, and guarantees it until the transaction ends.
   *
   * @param agentId null: the keys of the project itself, and of the person whose project it is, are counted
   * @throws NotFoundError if the project has been deleted
   */
  async hasRoom(tx: Transaction, projectId: string, agentId: string | null): Promise<boolean> {
    await holdProject(tx, projectId);
    const inForce = await tx
      .createQueryBuilder(ApiKeyEntity, 'key')
      .where({ projectId, agentId: agentId ?? IsNull() })
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
    { projectIds, agentId, kind }: ApiKeyFilter,
    request: PageRequest,
  ): Promise<Page<ApiKey>> {
    const newestFirst = connection
      .createQueryBuilder(ApiKeyEntity, 'key')
      .select(COLUMNS)
      .where(OF_PROJECT('key'));
    if (agentId) newestFirst.andWhere({ agentId });
    if (kind) newestFirst.andWhere({ agentId: kind === 'user' ? IsNull() : Not(IsNull()) });
    return readNewestOf(connection, projectIds, newestFirst, request);
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
   * @returns its project; null if none of these has such an agent
   */
  async holdAgent(
    tx: Transaction,
    projectIds: readonly string[],
    agentId: string,
  ): Promise<{ readonly projectId: string } | null> {
    const [row] = await rowsOf<{ projectId: string }>(
      tx,
      `SELECT user_id AS "projectId" FROM agents WHERE id = $1 AND user_id = ANY ($2::uuid[]) AND status <> 'deleting'
       FOR SHARE`,
      [agentId, projectIds],
    );
    return row ?? null;
  }

  /**
   * Locks the row of the agent, if the key has one, and then that of an owned key. A removal locks them in the same
   * order.
   */
  async lockOwned(tx: Transaction, projectIds: readonly string[], id: string): Promise<LockedApiKey | null> {
    // By hand: the table belongs to a feature above, as in `holdAgent`.
    await rowsOf(
      tx,
      `SELECT FROM agents
       WHERE id = (SELECT agent_id FROM api_keys WHERE id = $1 AND user_id = ANY ($2::uuid[])) FOR SHARE`,
      [id, projectIds],
    );
    const row = await selectRows(tx, ApiKeyEntity, 'key', [
      'projectId',
      'role',
      'agentId',
      'name',
      'scopes',
      'everybody',
    ])
      .addSelect('key.revokedAt IS NULL AND coalesce(key.expiresAt > now(), true)', 'isReplaceable')
      .addSelect('(extract(epoch FROM key.expiresAt - key.createdAt) * 1000)::float8', 'lifetimeMs')
      .where({ id, projectId: In([...projectIds]) })
      .setLock('for_no_key_update')
      .getRawOne<LockedApiKey>();
    return row ?? null;
  }

  /**
   * Revokes a key. A repetition changes nothing; an earlier end stays.
   *
   * @param projectIds one of which owns the key; null: any
   * @returns its project and its agent; null if there is no such key
   */
  async revoke(
    tx: Transaction,
    projectIds: readonly string[] | null,
    id: string,
    afterSeconds: number,
  ): Promise<RevokedApiKey | null> {
    const update = tx
      .createQueryBuilder()
      .update(ApiKeyEntity)
      .set({ revokedAt: () => 'least(revokedAt, now() + make_interval(secs => :afterSeconds))' })
      .where({ id, ...(projectIds && { projectId: In([...projectIds]) }) })
      .setParameters({ afterSeconds })
      .returning(columnsOf(ApiKeyEntity, ['projectId', 'role', 'agentId']));
    const [row] = await returnedRows<RevokedApiKey>(update);
    return row ?? null;
  }

  /** Revokes a person's own keys. @returns their ids */
  async revokeUserKeys(tx: Transaction, userId: string): Promise<string[]> {
    const rows = await returnedRows<{ id: string }>(
      tx
        .createQueryBuilder()
        .update(ApiKeyEntity)
        .set({ revokedAt: () => 'now()' })
        .where({ projectId: userId, agentId: IsNull(), role: IsNull() })
        .andWhere('(revoked_at IS NULL OR revoked_at > now())')
        .returning('id'),
    );
    return rows.map(({ id }) => id);
  }

  /** Gives the keys of an agent to another project. @returns their ids */
  async moveForAgent(tx: Transaction, agentId: string, projectId: string): Promise<string[]> {
    const rows = await returnedRows<{ id: string }>(
      tx.createQueryBuilder().update(ApiKeyEntity).set({ projectId }).where({ agentId }).returning('id'),
    );
    return rows.map(({ id }) => id);
  }

  /** @returns the ids of the deleted keys */
  async deleteOf(tx: Transaction, holder: KeysHolder): Promise<string[]> {
    const rows = await returnedRows<{ id: string }>(
      tx.createQueryBuilder().delete().from(ApiKeyEntity).where(holder).returning('id'),
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
