import { Injectable } from '@nestjs/common';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { WAITING_SECONDS } from '../commands/waiting-command.types.js';
import type { Page, PageRequest } from '../database/page.js';
import { OF_AGENT, OF_PROJECT, readNewestOf } from '../database/project-pages.js';
import { sentBytes } from '../database/read-page.js';
import { uuidFloor } from '../database/uuid-times.js';
import type { Connection } from '../database/transaction.js';
import { idRange } from '../http/id-prefix.js';
import { ACTIVE_STATUSES, type DeploymentStatus } from '../lifecycle/deployment-lifecycle.js';
import type { DeploymentEntity } from './deployment.entity.js';
import { DeploymentEventEntity, IS_FAILURE } from './deployment-event.entity.js';
import { selectWithName } from './deployments.repository.js';

export interface DeploymentFilter {
  readonly projectIds: readonly string[];
  readonly agentId?: string;
  readonly status?: DeploymentStatus;
  readonly isActive?: boolean;
  /** Part of the agent's name, in any case. */
  readonly q?: string;
  readonly idPrefix?: string;
  /** Time of creation, inclusive. */
  readonly since?: Date;
  /** Time of creation, exclusive. */
  readonly until?: Date;
  /** Minimum time of a failure, inclusive; a deployment that has been started again is listed too. */
  readonly failedSince?: Date;
  /** True: only deployments whose command has been unanswered for longer than `WAITING_SECONDS`; false: the others. */
  readonly isWaiting?: boolean;
}

/**
 * Condition for unanswered commands, with constants, so that the partial index serves it. By hand: the table belongs to
 * a feature below.
 */
const WAITS = `EXISTS (SELECT FROM commands AS command WHERE command.user_id = deployment.user_id
  AND command.deployment_id = deployment.id AND command.settled_at IS NULL
  AND command.created_at < now() - interval '${WAITING_SECONDS} seconds')`;

/** Condition for deployments of agents with a name like `:pattern`. By hand: the table belongs to a feature below. */
const IS_NAMED =
  'EXISTS (SELECT FROM agents AS agent WHERE agent.id = deployment.agentId AND agent.name ILIKE :pattern)';

const ACTIVE = ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ');

/** SQL for the bytes of the columns that runtimes and owners have written. */
const BYTES_OF_A_DEPLOYMENT = sentBytes('"agentName"', '"nodeId"', '"errorMessage"', '"lastExit"');

/** Lists of the deployments of some projects. */
@Injectable()
export class DeploymentSearchRepository {
  /**
   * Lists deployments, newest first. An error message takes up to 48 KiB as JSON, so a page may be cut.
   *
   * @param named the agents whose names contain `q`, if they are few; null: so many that a scan from the newest
   * deployment soon finds a page
   */
  async list(
    connection: Connection,
    filter: DeploymentFilter,
    named: readonly string[] | null,
    request: PageRequest,
  ): Promise<Page<DeploymentEntity>> {
    const { projectIds, agentId, status, isActive, q, idPrefix } = filter;
    const newestFirst = selectWithName(connection).where(OF_PROJECT('deployment'));
    if (agentId) newestFirst.andWhere({ agentId }).andWhere(OF_AGENT(':agentId'), { agentId });
    if (status) newestFirst.andWhere({ status });
    // Constants, not parameters: they lead to the partial index.
    if (isActive !== undefined)
      newestFirst.andWhere(`deployment.status ${isActive ? '' : 'NOT '}IN (${ACTIVE})`);
    if (idPrefix !== undefined)
      newestFirst.andWhere('deployment.id BETWEEN :firstId AND :lastId', idRange(idPrefix));
    addTimes(newestFirst, filter);
    if (filter.failedSince) newestFirst.andWhereExists(failuresSince(connection, filter.failedSince));
    if (filter.isWaiting !== undefined) newestFirst.andWhere(`${filter.isWaiting ? '' : 'NOT '}${WAITS}`);
    if (q !== undefined && named) newestFirst.andWhere('deployment.agentId = ANY (:named)', { named });
    if (q !== undefined && !named)
      newestFirst.andWhere(IS_NAMED, { pattern: `%${q.replaceAll(/[\\%_]/g, '\\$&')}%` });
    return readNewestOf(connection, projectIds, newestFirst, request, BYTES_OF_A_DEPLOYMENT);
  }
}

/** An id begins with its time, so a range of times is a range of the index on ids. */
function addTimes(newestFirst: SelectQueryBuilder<ObjectLiteral>, { since, until }: DeploymentFilter): void {
  if (since) newestFirst.andWhere('deployment.id >= :sinceId', { sinceId: uuidFloor(since) });
  if (until) newestFirst.andWhere('deployment.id < :untilId', { untilId: uuidFloor(until) });
}

/** Condition for steps of `deployment` to `failed` since a time. */
function failuresSince(connection: Connection, failedSince: Date): SelectQueryBuilder<DeploymentEventEntity> {
  return connection
    .createQueryBuilder(DeploymentEventEntity, 'event')
    .select('1')
    .where('event.projectId = deployment.projectId AND event.deploymentId = deployment.id')
    .andWhere(IS_FAILURE)
    .andWhere('event.createdAt >= :failedSince', { failedSince });
}
