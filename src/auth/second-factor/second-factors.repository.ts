import { Injectable } from '@nestjs/common';
import { IsNull, LessThan, MoreThan, Not } from 'typeorm';
import { deleteOld } from '../../database/deleted-rows.js';
import { columnsOf, returnedRows, selectRows } from '../../database/entity-rows.js';
import type { Connection, Transaction } from '../../database/transaction.js';
import { SecondFactorEntity } from './second-factor.entity.js';
import type { NewPasskey, SecondFactor, StoredPasskey, StoredTotp } from './second-factor.types.js';

const SHOWN = ['id', 'userId', 'kind', 'name', 'createdAt', 'lastUsedAt'] as const;
const CONFIRMED = { expiresAt: IsNull() };

type NewFactor = Pick<SecondFactor, 'id' | 'userId' | 'name'>;

/** A factor and its secret, as it is stored. */
export interface KeptTotpSecret {
  readonly factorId: string;
  readonly secret: string;
}

@Injectable()
export class SecondFactorsRepository {
  /** The account's confirmed factors, oldest first. */
  list(connection: Connection, userId: string): Promise<SecondFactor[]> {
    return selectRows(connection, SecondFactorEntity, 'factor', SHOWN)
      .where({ userId, ...CONFIRMED })
      .orderBy('factor.id')
      .getRawMany<SecondFactor>();
  }

  /** Inserts a factor that has to be confirmed, in the place of an earlier one that never was. */
  async insertTotp(
    tx: Transaction,
    factor: NewFactor,
    secret: string,
    lifetimeMinutes: number,
  ): Promise<void> {
    await tx.getRepository(SecondFactorEntity).delete({ userId: factor.userId, expiresAt: Not(IsNull()) });
    await tx
      .createQueryBuilder()
      .insert()
      .into(SecondFactorEntity)
      .values({
        ...factor,
        kind: 'totp',
        secret,
        expiresAt: () => 'now() + make_interval(mins => :lifetimeMinutes)',
      })
      .setParameters({ lifetimeMinutes })
      .updateEntity(false)
      .execute();
  }

  /** @returns null if the credential is a person's already */
  async insertPasskey(tx: Transaction, factor: NewFactor, passkey: NewPasskey): Promise<SecondFactor | null> {
    const [row] = await returnedRows<SecondFactor>(
      tx
        .createQueryBuilder()
        .insert()
        .into(SecondFactorEntity)
        .values({ ...factor, kind: 'passkey', ...passkey })
        .orIgnore()
        .returning(columnsOf(SecondFactorEntity, SHOWN))
        .updateEntity(false),
    );
    return row ?? null;
  }

  /** The secret of a factor that waits to be confirmed; null if there is none. */
  async findUnconfirmed(tx: Transaction, userId: string, id: string): Promise<StoredTotp | null> {
    const row = await selectRows(tx, SecondFactorEntity, 'factor', ['id', 'name', 'secret'])
      .where({ id, userId })
      .andWhere('factor.expiresAt > now()')
      .getRawOne<StoredTotp>();
    return row ?? null;
  }

  async confirm(tx: Transaction, id: string, step: number): Promise<SecondFactor> {
    const [row] = await returnedRows<SecondFactor>(
      tx
        .createQueryBuilder()
        .update(SecondFactorEntity)
        .set({ expiresAt: null, lastStep: step })
        .where({ id })
        .returning(columnsOf(SecondFactorEntity, SHOWN)),
    );
    return row!;
  }

  listTotps(connection: Connection, userId: string): Promise<StoredTotp[]> {
    return selectRows(connection, SecondFactorEntity, 'factor', ['id', 'name', 'secret'])
      .where({ userId, kind: 'totp', ...CONFIRMED })
      .orderBy('factor.id')
      .getRawMany<StoredTotp>();
  }

  listPasskeys(connection: Connection, userId: string): Promise<StoredPasskey[]> {
    return selectRows(connection, SecondFactorEntity, 'factor', [
      'id',
      'credentialId',
      'publicKey',
      'counter',
      'transports',
    ])
      .where({ userId, kind: 'passkey' })
      .orderBy('factor.id')
      .getRawMany<StoredPasskey>();
  }

  /** @returns false if a code of this step or of a later one was used before, on whichever instance */
  async useStep(tx: Transaction, id: string, step: number): Promise<boolean> {
    const { affected } = await tx
      .getRepository(SecondFactorEntity)
      .update({ id, lastStep: LessThan(step) }, { lastStep: step, lastUsedAt: () => 'now()' });
    return affected === 1;
  }

  /** @returns false if the passkey was used since its counter was read, or is gone */
  async useCounter(tx: Transaction, { id, counter }: StoredPasskey, newCounter: number): Promise<boolean> {
    const { affected } = await tx
      .getRepository(SecondFactorEntity)
      .update({ id, counter }, { counter: newCounter, lastUsedAt: () => 'now()' });
    return affected === 1;
  }

  /** @returns the kind of the removed factor; null if the account has no such one */
  async delete(tx: Transaction, userId: string, id: string): Promise<SecondFactor['kind'] | null> {
    const [row] = await returnedRows<Pick<SecondFactor, 'kind'>>(
      tx
        .createQueryBuilder()
        .delete()
        .from(SecondFactorEntity)
        .where({ id, userId, ...CONFIRMED })
        .returning('kind'),
    );
    return row?.kind ?? null;
  }

  /** @returns the number of removed factors, those that were never confirmed included */
  async deleteOf(tx: Transaction, userId: string): Promise<number> {
    const { affected } = await tx.getRepository(SecondFactorEntity).delete({ userId });
    return affected ?? 0;
  }

  /** @returns the number of deleted factors that were never confirmed, at most `limit` */
  deleteExpired(connection: Connection, limit: number): Promise<number> {
    return deleteOld(connection, SecondFactorEntity, { since: 'old.expiresAt' }, limit);
  }

  /**
   * Lists secrets that are not encrypted under this key, after a factor in the order of the ids.
   *
   * @param sealPrefix beginning of those that are
   */
  listNotUnder(
    connection: Connection,
    sealPrefix: string,
    afterId: string,
    limit: number,
  ): Promise<KeptTotpSecret[]> {
    return connection
      .createQueryBuilder(SecondFactorEntity, 'factor')
      .select('factor.id', 'factorId')
      .addSelect('factor.secret', 'secret')
      .where({ id: MoreThan(afterId), kind: 'totp' })
      .andWhere('NOT starts_with(factor.secret, :sealPrefix)', { sealPrefix })
      .orderBy('factor.id')
      .limit(limit)
      .getRawMany<KeptTotpSecret>();
  }

  /** Replaces a stored secret, unless it was changed in the meantime. */
  async rewrite(connection: Connection, { factorId, secret }: KeptTotpSecret, sealed: string): Promise<void> {
    await connection.getRepository(SecondFactorEntity).update({ id: factorId, secret }, { secret: sealed });
  }
}
