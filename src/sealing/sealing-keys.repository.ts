import { Injectable } from '@nestjs/common';
import { Not, In } from 'typeorm';
import { selectRows } from '../database/entity-rows.js';
import { REVOKED_CHANNEL } from '../database/revocable-cache.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { SealingKeyEntity } from './sealing-key.entity.js';

/** The keys as instances remember them, see `SealingKeysService`. */
export const REMEMBERED = { kind: 'sealing_keys', key: 'all' } as const;

/** Every instance learns with the commit which keys are recorded now. For programs that have no cache of their own. */
export async function announceSealingKeys(tx: Transaction): Promise<void> {
  await rowsOf(tx, 'SELECT pg_notify($1, $2)', [REVOKED_CHANNEL, `${REMEMBERED.kind}:${REMEMBERED.key}`]);
}

@Injectable()
export class SealingKeysRepository {
  list(connection: Connection): Promise<SealingKeyEntity[]> {
    return selectRows(connection, SealingKeyEntity, 'key').getRawMany<SealingKeyEntity>();
  }

  /**
   * Records the key of the first secret. Where texts are stored already, which key seals them is changed by a resealing
   * alone. By hand: an INSERT with a condition on tables of features above.
   *
   * @returns whether it did
   */
  async recordFirst(tx: Transaction, id: string): Promise<boolean> {
    const rows = await rowsOf(
      tx,
      `INSERT INTO sealing_keys (id, is_in_use)
       SELECT given.id, true FROM (VALUES ($1::text)) AS given (id)
       WHERE NOT EXISTS (SELECT FROM sealing_keys) AND NOT EXISTS (SELECT FROM agent_configs) AND NOT EXISTS (SELECT FROM webhooks)
       ON CONFLICT DO NOTHING RETURNING id`,
      [id],
    );
    return rows.length > 0;
  }

  /** Returns true if there are texts that a key would seal. By hand: tables of features above. */
  async hasTexts(connection: Connection): Promise<boolean> {
    const [row] = await rowsOf<{ found: boolean }>(
      connection,
      'SELECT EXISTS (SELECT FROM agent_configs) OR EXISTS (SELECT FROM webhooks) AS found',
    );
    return row!.found;
  }

  /** Every instance seals under this key from now on, and has to know those that it replaces. */
  async use(tx: Transaction, id: string): Promise<void> {
    const keys = tx.getRepository(SealingKeyEntity);
    await keys.update({ isInUse: true }, { isInUse: false });
    await keys.upsert({ id, isInUse: true }, ['id']);
  }

  /** No text is left under any key but these. */
  async keepOnly(tx: Transaction, ids: readonly string[]): Promise<void> {
    await tx.getRepository(SealingKeyEntity).delete({ id: Not(In([...ids])) });
  }
}
