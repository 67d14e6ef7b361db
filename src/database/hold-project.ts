import { rowsOf } from './sql.js';
import type { Transaction } from './transaction.js';

/**
 * Locks a project's row until the transaction ends, so that counts of that project run one after the other, and concurrent
 * creations never exceed a limit. A later statement sees what was committed during the wait. By hand: the project's entity
 * belongs to a feature.
 */
export async function holdProject(tx: Transaction, projectId: string): Promise<void> {
  await rowsOf(tx, 'SELECT FROM projects WHERE id = $1 FOR NO KEY UPDATE', [projectId]);
}
