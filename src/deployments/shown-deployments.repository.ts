import type { SelectQueryBuilder } from 'typeorm';
import { JsonText } from '../database/json-text.js';
import { ShownDocument, shownColumns, shownText } from '../database/shown-document.js';
import { GATHERED, ShownRows } from '../database/shown-rows.js';
import type { Connection } from '../database/transaction.js';
import { DeploymentEntity } from './deployment.entity.js';
import { DEPLOYMENT_FIELDS, type DeploymentResponse } from './deployment.response.js';

/** How many of an agent's deployments are shown with the agent. */
export const SHOWN_WITH_AGENT = 100;

/** SQL for the name of an agent. By hand: the table of a feature below. @param agentId SQL for its id */
export const agentName = (agentId: string) =>
  `(SELECT agent.name FROM agents AS agent WHERE agent.id = ${agentId})`;
/** @param name SQL for the name of the agent */
const rowsWith = (name: string) =>
  new ShownRows(
    new ShownDocument(DEPLOYMENT_FIELDS, {
      ...shownColumns(DeploymentEntity, 'deployment'),
      agentName: shownText(name),
    }),
  );
export const SHOWN_DEPLOYMENTS = rowsWith(agentName('"deployment".agent_id'));
const LATEST = rowsWith('"agent".name');

/**
 * SQL for an agent's latest deployments, newest first, in a statement that selects the agent as `agent`: read by
 * {@link latestShown}. By hand: part of a prepared statement of the feature `agents`.
 */
export const LATEST_SHOWN = `(
  SELECT ${GATHERED} FROM (
    SELECT ${LATEST.line} AS line FROM deployments AS deployment
    WHERE deployment.agent_id = agent.id ORDER BY deployment.id DESC LIMIT ${SHOWN_WITH_AGENT}
  ) AS latest
)`;

/** @param gathered the value of {@link LATEST_SHOWN} */
export function latestShown(gathered: string | null): JsonText<DeploymentResponse>[] {
  return LATEST.rows(gathered).map(({ document }) => new JsonText(document));
}

/** Selects {@link SHOWN_DEPLOYMENTS}. */
export function selectDocuments(connection: Connection): SelectQueryBuilder<DeploymentEntity> {
  return connection.createQueryBuilder(DeploymentEntity, 'deployment').select(SHOWN_DEPLOYMENTS.line, 'line');
}
