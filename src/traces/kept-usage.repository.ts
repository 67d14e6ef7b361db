import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { selectRows } from '../database/entity-rows.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { CountedUsageEntity } from './counted-usage.entity.js';
import { UncountedUsageEntity } from './uncounted-usage.entity.js';

/** Seconds after which what is kept is no longer that of a request under way. */
const LEFT_AFTER_S = 30;
/** Minutes for which the name of counted usage stays: far longer than a transaction or a part of a round. */
const NAMED_MINUTES = 60;

/** Keeps what spans tell in the database of telemetry until it is counted, and the names of what was counted in the main one. */
@Injectable()
export class KeptUsageRepository {
  /** @param told JSON text */
  async insert(tx: Transaction, id: string, told: string): Promise<void> {
    await rowsOf(tx, 'INSERT INTO uncounted_usage (id, told) VALUES ($1, $2)', [id, told]);
  }

  async remove(connection: Connection, id: string): Promise<void> {
    await connection.delete(UncountedUsageEntity, { id });
  }

  async find(connection: Connection, id: string): Promise<Pick<UncountedUsageEntity, 'told'> | undefined> {
    return selectRows(connection, UncountedUsageEntity, 'kept', ['told']).where({ id }).getRawOne();
  }

  /** The ids of what no request counts any more, oldest first. */
  async listLeft(connection: Connection, limit: number): Promise<string[]> {
    const rows = await selectRows(connection, UncountedUsageEntity, 'kept', ['id'])
      .where('kept.createdAt < now() - make_interval(secs => :seconds)', { seconds: LEFT_AFTER_S })
      .orderBy('kept.createdAt')
      .limit(limit)
      .getRawMany<Pick<UncountedUsageEntity, 'id'>>();
    return rows.map(({ id }) => id);
  }

  async keptAmong(connection: Connection, ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const rows = await selectRows(connection, UncountedUsageEntity, 'kept', ['id'])
      .where('kept.id = ANY (:ids)', { ids })
      .getRawMany<Pick<UncountedUsageEntity, 'id'>>();
    return rows.map(({ id }) => id);
  }

  /** Stores the name of what the transaction counts. @returns false: it was counted before */
  async claim(tx: Transaction, id: string): Promise<boolean> {
    const rows = await rowsOf(
      tx,
      'INSERT INTO counted_usage (id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id',
      [id],
    );
    return rows.length > 0;
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
