import { Injectable } from '@nestjs/common';
import type { Connection } from '../database/transaction.js';
import { type Spending, SpendingRepository, type SpentHour } from './spending.repository.js';

export type { Spending };

/** Says what projects have spent of late. */
@Injectable()
export class SpendingService {
  constructor(private readonly spending: SpendingRepository) {}

  read(connection: Connection, projectIds: readonly string[]): Promise<Spending> {
    return this.spending.read(connection, projectIds);
  }

  /** The cost of priced calls, by the hour; an hour without any is left out. */
  byHour(connection: Connection, projectIds: readonly string[], since: Date): Promise<SpentHour[]> {
    return this.spending.byHour(connection, projectIds, since);
  }
}
