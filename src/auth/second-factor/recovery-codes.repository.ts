import { Injectable } from '@nestjs/common';
import type { Connection, Transaction } from '../../database/transaction.js';
import { RecoveryCodeEntity } from './recovery-code.entity.js';

@Injectable()
export class RecoveryCodesRepository {
  count(connection: Connection, userId: string): Promise<number> {
    return connection.getRepository(RecoveryCodeEntity).countBy({ userId });
  }

  async replace(tx: Transaction, userId: string, hashes: readonly Buffer[]): Promise<void> {
    await this.deleteOf(tx, userId);
    await tx.getRepository(RecoveryCodeEntity).insert(hashes.map((codeHash) => ({ userId, codeHash })));
  }

  /** Uses a code, which deletes it. @returns false if the account has no such code, or it was used before */
  async use(tx: Transaction, userId: string, codeHash: Buffer): Promise<boolean> {
    const { affected } = await tx.getRepository(RecoveryCodeEntity).delete({ userId, codeHash });
    return affected === 1;
  }

  async deleteOf(tx: Transaction, userId: string): Promise<void> {
    await tx.getRepository(RecoveryCodeEntity).delete({ userId });
  }
}
