import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { selectRows } from '../database/entity-rows.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { CountedUsageEntity } from './counted-usage.entity.js';
import { UncountedUsageEntity } from './uncounted-usage.entity.js';

/** Seconds after which kept usage no longer belongs to a request under way. */
const LEFT_AFTER_S = 30;
/** Minutes for which the name of counted usage stays: far longer than a transaction or a part of a round. */
const NAMED_MINUTES = 60;

/** The name of usage that is kept; unique by `id` alone, and stored with the rows of its agent. */
export type KeptName = Pick<UncountedUsageEntity, 'agentId' | 'id'>;

/**
 * Keeps the usage of spans in the database of telemetry until it is counted, and the names of counted usage in the
 * main one.
 */
@Injectable()
export class KeptUsageRepository {
  /** @param kept each with its usage, as JSON text */
  async insert(tx: Transaction, kept: readonly (KeptName & { readonly told: string })[]): Promise<void> {
    await rowsOf(
      tx,
      `INSERT INTO uncounted_usage (agent_id, id, told)
       SELECT agent_id, id, told::jsonb FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS kept (agent_id, id, told)`,
      [kept.map(({ agentId }) => agentId), kept.map(({ id }) => id), kept.map(({ told }) => told)],
    );
  }

  async remove(connection: Connection, kept: readonly KeptName[]): Promise<void> {
    const agentIds = kept.map(({ agentId }) => agentId);
    await connection.delete(UncountedUsageEntity, {
      agentId: In(agentIds),
      id: In(kept.map(({ id }) => id)),
    });
  }

  async find(
    connection: Connection,
    { agentId, id }: KeptName,
  ): Promise<Pick<UncountedUsageEntity, 'told'> | undefined> {
    return selectRows(connection, UncountedUsageEntity, 'kept', ['told']).where({ agentId, id }).getRawOne();
  }

  /** The names of what no request counts any more, oldest first. */
  async listLeft(connection: Connection, limit: number): Promise<KeptName[]> {
    return selectRows(connection, UncountedUsageEntity, 'kept', ['agentId', 'id'])
      .where('kept.createdAt < now() - make_interval(secs => :seconds)', { seconds: LEFT_AFTER_S })
      .orderBy('kept.createdAt')
      .limit(limit)
      .getRawMany<KeptName>();
  }

  async keptAmong(connection: Connection, ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const rows = await selectRows(connection, UncountedUsageEntity, 'kept', ['id'])
      .where('kept.id = ANY (:ids)', { ids })
      .getRawMany<Pick<UncountedUsageEntity, 'id'>>();
    return rows.map(({ id }) => id);
  }

  /** Stores the names of what the transaction counts. @returns those that were not counted before */
  async claim(tx: Transaction, ids: readonly string[]): Promise<string[]> {
    const rows = await rowsOf<{ id: string }>(
      tx,
      `INSERT INTO counted_usage (id) SELECT id FROM unnest($1::uuid[]) AS kept (id)
       ON CONFLICT DO NOTHING RETURNING id`,
      [ids],
    );
    return rows.map(({ id }) => id);
  }

  /** Old names, in no order. */
  async listNames(connection: Connection, limit: number): Promise<string[]> {
    const rows = await selectRows(connection, CountedUsageEntity, 'counted', ['id'])
      .where('counted.countedAt < now() - make_interval(mins => :minutes)', { minutes: NAMED_MINUTES })
      .limit(limit)
      .getRawMany<Pick<CountedUsageEntity, 'id'>>();
    return rows.map(({ id }) => id);
  }

  async forgetNames(connection: Connection, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await connection.delete(CountedUsageEntity, { id: In([...ids]) });
  }
}
