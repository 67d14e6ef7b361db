import { Injectable } from '@nestjs/common';
import type { JsonText } from '../database/json-text.js';
import type { Page, PageRequest } from '../database/page.js';
import { readPage } from '../database/read-page.js';
import { documentText, type ShownRow } from '../database/shown-fields.js';
import type { Connection } from '../database/transaction.js';
import { idRange } from '../http/id-prefix.js';
import { ACTIVE_STATUSES, type DeploymentStatus } from '../lifecycle/deployment-lifecycle.js';
import type { DeploymentResponse } from './deployment.response.js';
import { selectDocuments } from './shown-deployments.repository.js';

export interface DeploymentFilter {
  readonly userId: string;
  readonly agentId?: string;
  readonly status?: DeploymentStatus;
  readonly isActive?: boolean;
  /** Part of the agent's name, in any case. */
  readonly q?: string;
  readonly idPrefix?: string;
}

const ACTIVE = ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ');

/** Lists of an owner's deployments. */
@Injectable()
export class DeploymentSearchRepository {
  /**
   * Newest first. Rows are small.
   *
   * @param named the agents that `q` finds, if they are few; null: so many that a walk from the newest deployment finds a
   *   page of theirs soon
   */
  async list(
    connection: Connection,
    { userId, agentId, status, isActive, q, idPrefix }: DeploymentFilter,
    named: readonly string[] | null,
    request: PageRequest,
  ): Promise<Page<JsonText<DeploymentResponse>>> {
    const newestFirst = selectDocuments(connection)
      .where({ userId, ...(agentId && { agentId }), ...(status && { status }) })
      .orderBy('deployment.id', 'DESC');
    // Constants, not parameters: they lead to the partial index.
    if (isActive !== undefined)
      newestFirst.andWhere(`deployment.status ${isActive ? '' : 'NOT '}IN (${ACTIVE})`);
    if (idPrefix !== undefined)
      newestFirst.andWhere('deployment.id BETWEEN :firstId AND :lastId', idRange(idPrefix));
    if (q !== undefined && named) newestFirst.andWhere('deployment.agentId = ANY (:named)', { named });
    if (q !== undefined && !named)
      newestFirst.andWhere(
        'EXISTS (SELECT FROM agents AS agent WHERE agent.id = deployment.agentId AND agent.name ILIKE :pattern)',
        { pattern: `%${q.replaceAll(/[\\%_]/g, '\\$&')}%` },
      );
    return (await readPage<ShownRow>(connection, newestFirst, request)).map(documentText<DeploymentResponse>);
  }
}
