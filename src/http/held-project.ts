import { rowsOf } from '../database/sql.js';
import type { Transaction } from '../database/transaction.js';
import { NotFoundError } from '../errors/domain-error.js';

/**
 * `counted`: others that count in the project wait, so that concurrent creations never exceed a limit. `shared`: only its
 * deletion waits.
 */
type Hold = 'counted' | 'shared';

const LOCKS: Readonly<Record<Hold, string>> = { counted: 'FOR NO KEY UPDATE', shared: 'FOR KEY SHARE' };

/**
 * Locks a project's row until the transaction ends: nothing new is made in a project that is being deleted. A later
 * statement sees changes that were committed during the wait. By hand: the project's entity belongs to a feature.
 *
 * @throws NotFoundError if the project has been deleted
 */
export async function holdProject(tx: Transaction, projectId: string, hold: Hold = 'counted'): Promise<void> {
  const [row] = await rowsOf(
    tx,
    `SELECT id FROM projects WHERE id = $1 AND deleted_at IS NULL ${LOCKS[hold]}`,
    [projectId],
  );
  if (!row) throw new NotFoundError('Project');
}
