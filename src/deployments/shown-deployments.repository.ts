import type { SelectQueryBuilder } from 'typeorm';
import type { JsonText } from '../database/json-text.js';
import { PreparedQuery } from '../database/prepared-query.js';
import { documentSql, documentText, shownColumns, type ShownRow } from '../database/shown-fields.js';
import type { Connection } from '../database/transaction.js';
import { DeploymentEntity } from './deployment.entity.js';
import { DEPLOYMENT_FIELDS, type DeploymentResponse } from './deployment.response.js';

/** How many of an agent's deployments are shown with the agent. */
export const LATEST_DEPLOYMENTS = 100;

/** SQL for the name of an agent. @param agentId SQL for its id */
export const agentName = (agentId: string) =>
  `(SELECT agent.name FROM agents AS agent WHERE agent.id = ${agentId})`;
const documentWith = (name: string) =>
  documentSql(DEPLOYMENT_FIELDS, { ...shownColumns(DeploymentEntity, 'deployment'), agentName: name });
const DOCUMENT = documentWith(agentName('"deployment".agent_id'));
/** For deployments of one agent: PostgreSQL looks up its name once, and not for each row. */
const DOCUMENT_OF_ONE_AGENT = documentWith(agentName(':agentId'));

/** The size is a constant, as that of `PreparedPage` is. */
const LATEST_SHOWN = new PreparedQuery('latest_shown_deployments', ['agentId'], (connection) =>
  connection
    .createQueryBuilder(DeploymentEntity, 'deployment')
    .select(DOCUMENT_OF_ONE_AGENT, 'document')
    .where('deployment.agentId = :agentId')
    .orderBy('deployment.id', 'DESC')
    .limit(LATEST_DEPLOYMENTS),
);

/** The latest hundred of an agent as they are shown, newest first. */
export async function latestShown(
  connection: Connection,
  agentId: string,
): Promise<JsonText<DeploymentResponse>[]> {
  const rows = await LATEST_SHOWN.rows<ShownRow>(connection, { agentId });
  return rows.map(documentText<DeploymentResponse>);
}

/** Deployments as they are shown: rows of the type {@link ShownRow}. */
export function selectDocuments(connection: Connection): SelectQueryBuilder<DeploymentEntity> {
  return connection.createQueryBuilder(DeploymentEntity, 'deployment').select(DOCUMENT, 'document');
}
