import { ACTIVE_STATUSES } from '../lifecycle/deployment-lifecycle.js';

const ACTIVE = ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ');

/**
 * The only active deployment of each agent that has exactly one: entries that name none are taken to be its. $1: the
 * agents, as often as one likes. Part of the statement that writes the entries, because asking before each of them
 * would double what an entry costs; so this reads the table of a feature below.
 */
export const SOLE_ACTIVE_DEPLOYMENTS = `SELECT agent_id, (array_agg(id))[1] AS deployment_id FROM deployments
  WHERE agent_id = ANY ($1::uuid[]) AND status IN (${ACTIVE}) GROUP BY agent_id HAVING count(*) = 1`;
