import { Injectable } from '@nestjs/common';
import type { Connection } from '../database/transaction.js';
import { type Spending, SpendingRepository } from './spending.repository.js';

export type { Spending };

/** Says what projects have spent of late. */
@Injectable()
export class SpendingService {
  constructor(private readonly spending: SpendingRepository) {}

  read(connection: Connection, projectIds: readonly string[]): Promise<Spending> {
    return this.spending.read(connection, projectIds);
  }
}
