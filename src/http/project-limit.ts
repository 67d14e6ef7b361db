import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';

/**
 * The number of agents, webhooks or schedules that a project may have, or of runs that may be queued for each of its agents. By hand: the limits of projects belong to a feature.
 *
 * @param ofInstallation holds where the project has no limit of its own
 */
export async function projectLimit(
  connection: Connection,
  projectId: string,
  kind: 'agents' | 'webhooks' | 'schedules' | 'queued_runs',
  ofInstallation: number,
): Promise<number> {
  const [own] = await rowsOf<{ maximum: number | null }>(
    connection,
    'SELECT maximum::float8 AS maximum FROM project_limits WHERE project_id = $1 AND kind = $2',
    [projectId, kind],
  );
  return own?.maximum ?? ofInstallation;
}
