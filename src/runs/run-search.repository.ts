import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../database/page.js';
import { OF_AGENT, OF_PROJECT, readNewestOf } from '../database/project-pages.js';
import { sentBytes } from '../database/read-page.js';
import { uuidFloor } from '../database/uuid-times.js';
import type { Connection } from '../database/transaction.js';
import { idRange } from '../http/id-prefix.js';
import type { RunStatus } from '../lifecycle/run-lifecycle.js';
import type { RunEntity } from './run.entity.js';
import type { RunSort, RunSource } from './run.types.js';
import { isPresent, selectRuns } from './runs.repository.js';

export interface RunFilter {
  readonly projectIds: readonly string[];
  readonly agentId?: string;
  readonly deploymentId?: string;
  readonly statuses?: readonly RunStatus[];
  readonly source?: RunSource;
  readonly conversationId?: string;
  readonly configVersion?: number;
  readonly labels?: Record<string, string>;
  /** Part of the run's name, in any case. */
  readonly q?: string;
  readonly idPrefix?: string;
  /** Time at which it was asked for, inclusive. */
  readonly since?: Date;
  /** Time at which it was asked for, exclusive. */
  readonly until?: Date;
  /** Absent: the newest first. */
  readonly sort?: RunSort;
}

/** SQL for the bytes of the columns that people and runtimes have written. */
const BYTES_OF_A_RUN = `coalesce(octet_length(input::text), 0) + coalesce(octet_length(output::text), 0)
  + octet_length(labels::text) + coalesce(octet_length(progress::text), 0)
  + ${sentBytes('"agentName"', 'name', 'error', '"waitingReason"', '"conversationId"')}`;

/** Lists of the runs of some projects. */
@Injectable()
export class RunSearchRepository {
  /** Lists runs, the newest or the oldest first. An input takes up to 256 KiB, so a page may be cut. */
  list(connection: Connection, filter: RunFilter, request: PageRequest): Promise<Page<RunEntity>> {
    const { agentId, deploymentId, source, conversationId, configVersion, labels, q } = filter;
    const { statuses, idPrefix, since, until, sort } = filter;
    const found = selectRuns(connection).where(OF_PROJECT('run')).andWhere(isPresent('run.agentId'));
    const exact = { agentId, deploymentId, source, conversationId, configVersion };
    for (const [property, value] of Object.entries(exact))
      if (value !== undefined) found.andWhere({ [property]: value });
    if (agentId !== undefined) found.andWhere(OF_AGENT(':agentId'), { agentId });
    if (statuses) found.andWhere('run.status IN (:...statuses)', { statuses });
    if (labels) found.andWhere('run.labels @> :labels', { labels: JSON.stringify(labels) });
    if (q !== undefined)
      found.andWhere('run.name ILIKE :pattern', { pattern: `%${q.replaceAll(/[\\%_]/g, '\\$&')}%` });
    if (idPrefix !== undefined) found.andWhere('run.id BETWEEN :firstId AND :lastId', idRange(idPrefix));
    // An id begins with its time, so a range of times is a range of the index on ids.
    if (since) found.andWhere('run.id >= :sinceId', { sinceId: uuidFloor(since) });
    if (until) found.andWhere('run.id < :untilId', { untilId: uuidFloor(until) });
    const direction = sort === 'created' ? 'ASC' : 'DESC';
    return readNewestOf(connection, filter.projectIds, found, request, BYTES_OF_A_RUN, direction);
  }
}
