import { Injectable } from '@nestjs/common';
import { selectRows } from '../database/entity-rows.js';
import { idList, PreparedQuery } from '../database/prepared-query.js';
import type { Transaction } from '../database/transaction.js';
import { WebhookEntity } from './webhook.entity.js';

/** An index has these webhooks alone, so the projects of most events are looked up in almost nothing. */
const FIND = new PreparedQuery('projects_that_want_payloads', ['projectIds', 'patterns'], (connection) =>
  selectRows(connection, WebhookEntity, 'webhook', ['projectId'])
    .where(`webhook.projectId = ANY (${idList('projectIds')}) AND webhook.includePayloads`)
    .andWhere(`webhook.isActive AND webhook.events && (SELECT :patterns::text[])`),
);

/** Finds out who wants the input and output of runs. */
@Injectable()
export class PayloadSubscribersRepository {
  /** The projects among these with a webhook that subscribes to such events and wants what is in them. */
  async among(
    tx: Transaction,
    projectIds: readonly string[],
    patterns: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const rows = await FIND.rows<Pick<WebhookEntity, 'projectId'>>(tx, {
      projectIds: [...new Set(projectIds)],
      patterns,
    });
    return new Set(rows.map(({ projectId }) => projectId));
  }
}
