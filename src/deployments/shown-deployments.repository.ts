import type { SelectQueryBuilder } from 'typeorm';
import { documentSql, shownColumns } from '../database/shown-fields.js';
import type { Connection } from '../database/transaction.js';
import { DeploymentEntity } from './deployment.entity.js';
import { DEPLOYMENT_FIELDS } from './deployment.response.js';

/** How many of an agent's deployments are shown with the agent. */
export const SHOWN_WITH_AGENT = 100;

/** SQL for the name of an agent. @param agentId SQL for its id */
export const agentName = (agentId: string) =>
  `(SELECT agent.name FROM agents AS agent WHERE agent.id = ${agentId})`;
const documentWith = (name: string) =>
  documentSql(DEPLOYMENT_FIELDS, { ...shownColumns(DeploymentEntity, 'deployment'), agentName: name });
const DOCUMENT = documentWith(agentName('"deployment".agent_id'));

/** SQL for the JSON of an agent's latest deployments, newest first, in a statement that selects the agent as `agent`. */
export const LATEST_SHOWN = `(
  SELECT coalesce(json_agg(latest.document), '[]') FROM (
    SELECT ${documentWith('"agent".name')} AS document FROM deployments AS deployment
    WHERE deployment.agent_id = agent.id ORDER BY deployment.id DESC LIMIT ${SHOWN_WITH_AGENT}
  ) AS latest
)`;

/** Deployments as they are shown: rows of the type `ShownRow`. */
export function selectDocuments(connection: Connection): SelectQueryBuilder<DeploymentEntity> {
  return connection.createQueryBuilder(DeploymentEntity, 'deployment').select(DOCUMENT, 'document');
}
