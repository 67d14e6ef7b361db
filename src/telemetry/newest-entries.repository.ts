import type { SelectQueryBuilder } from 'typeorm';
import { selectRows } from '../database/entity-rows.js';
import type { Connection } from '../database/transaction.js';
import type { AgentLogEntity } from './agent-log.entity.js';
import type { AgentMetricEntity } from './agent-metric.entity.js';
import type { TelemetrySource, TimeFilter } from './telemetry.types.js';

/** Returns true if no property of a filter is given. */
export function isUnfiltered(filter: object): boolean {
  return Object.values(filter).every((value) => value === undefined);
}

/**
 * A query for the logs or the metrics of an agent or a deployment, newest first.
 *
 * @param properties as for `selectRows`
 */
export function newestEntries<Entity extends AgentLogEntity | AgentMetricEntity>(
  connection: Connection,
  entity: new () => Entity,
  source: TelemetrySource,
  { since, until }: TimeFilter,
  properties?: readonly (keyof Entity)[],
): SelectQueryBuilder<Entity> {
  const query = selectRows(connection, entity, 'entry', properties)
    .orderBy('entry.timestamp', 'DESC')
    .addOrderBy('entry.id', 'DESC');
  if ('agentId' in source) query.where('entry.agentId = :agentId', { agentId: source.agentId });
  else query.where('entry.deploymentId = :deploymentId', { deploymentId: source.deploymentId });
  if (since) query.andWhere('entry.timestamp >= :since', { since });
  if (until) query.andWhere('entry.timestamp < :until', { until });
  return query;
}
