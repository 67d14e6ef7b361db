import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { RevocableCache } from '../database/revocable-cache.js';
import type { Delivery } from './command.types.js';

/**
 * Time for which "this agent's queue is empty" is cached; milliseconds. Limits the damage of a lost notification. When the
 * LISTEN connection was lost, the cache is empty.
 */
export const EMPTY_TTL_MS = 5 * 60_000;

/** Cache of empty queues, by agent, so that a poll with nothing pending costs no query. */
@Injectable()
export class EmptyQueues extends RevocableCache<Delivery & { readonly waiting: number }> {
  constructor(database: Database) {
    super(database, 'commands', EMPTY_TTL_MS, 'connected');
  }
}
