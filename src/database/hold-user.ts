import { rowsOf } from './sql.js';
import type { Transaction } from './transaction.js';

/**
 * Locks a user's row until the transaction ends: what is counted of one user is counted one after the other, so that
 * racing creations never make more than a limit allows. A statement after it sees what was committed while it waited. By
 * hand: the user's entity is a feature's.
 */
export async function holdUser(tx: Transaction, userId: string): Promise<void> {
  await rowsOf(tx, 'SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
}
