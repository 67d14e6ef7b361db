import { labelOf } from '../../http/label-fields.js';
import type { RunFilter } from '../run-search.repository.js';
import type { ListRunsQuery } from './run.requests.js';

/** The filter of a list of runs, without the projects that the caller may see. */
export function runFilterOf(
  query: ListRunsQuery,
): Omit<RunFilter, 'projectIds'> & { readonly projectId?: string } {
  return {
    projectId: query.project_id,
    agentId: query.agent_id,
    deploymentId: query.deployment_id,
    statuses: query.status,
    source: query.source,
    conversationId: query.conversation_id,
    configVersion: query.config_version,
    ...(query.label && { labels: Object.assign({}, ...query.label.map(labelOf)) as Record<string, string> }),
    q: query.q,
    idPrefix: query.id_prefix,
    since: query.since,
    until: query.until,
    sort: query.sort,
  };
}
