import { rowsOf } from './sql.js';
import type { Transaction } from './transaction.js';

/**
 * Locks a user's row until the transaction ends, so that counts of that user run one after the other, and concurrent
 * creations never exceed a limit. A later statement sees what was committed during the wait. By hand: the user's entity
 * belongs to a feature.
 */
export async function holdUser(tx: Transaction, userId: string): Promise<void> {
  await rowsOf(tx, 'SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
}
