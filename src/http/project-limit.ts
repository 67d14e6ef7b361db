import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';

/**
 * The number of agents or webhooks that a project may have. By hand: the limits of projects belong to a feature.
 *
 * @param ofInstallation holds where the project has no limit of its own
 */
export async function projectLimit(
  connection: Connection,
  projectId: string,
  kind: 'agents' | 'webhooks',
  ofInstallation: number,
): Promise<number> {
  const [own] = await rowsOf<{ maximum: number | null }>(
    connection,
    'SELECT maximum::float8 AS maximum FROM project_limits WHERE project_id = $1 AND kind = $2',
    [projectId, kind],
  );
  return own?.maximum ?? ofInstallation;
}
