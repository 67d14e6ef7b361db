import { Injectable } from '@nestjs/common';
import { Not } from 'typeorm';
import { returnedRows, selectRows } from '../../database/entity-rows.js';
import type { Transaction } from '../../database/transaction.js';
import { IdentityEntity } from './identity.entity.js';
import type { ProvidedIdentity } from './sso.types.js';

type IdentityKey = Pick<ProvidedIdentity, 'issuer' | 'subject'>;

@Injectable()
export class IdentitiesRepository {
  /** @returns the id of the identity's account; null if it has none yet */
  async findUserId(tx: Transaction, { issuer, subject }: IdentityKey): Promise<string | null> {
    const row = await selectRows(tx, IdentityEntity, 'identity', ['userId'])
      .where({ issuer, subject })
      .getRawOne<{ userId: string }>();
    return row?.userId ?? null;
  }

  /** Returns true if the account has another identity of the same issuer. */
  async hasAnother(tx: Transaction, { issuer, subject }: IdentityKey, userId: string): Promise<boolean> {
    return tx.getRepository(IdentityEntity).existsBy({ issuer, userId, subject: Not(subject) });
  }

  /** @returns false if the identity has an account already */
  async insert(tx: Transaction, { issuer, subject }: IdentityKey, userId: string): Promise<boolean> {
    const rows = await returnedRows<{ userId: string }>(
      tx
        .createQueryBuilder()
        .insert()
        .into(IdentityEntity)
        .values({ issuer, subject, userId })
        .orIgnore()
        .returning('user_id AS "userId"')
        .updateEntity(false),
    );
    return rows.length === 1;
  }
}
