import { Injectable } from '@nestjs/common';
import { selectRows } from '../database/entity-rows.js';
import { idList, PreparedQuery } from '../database/prepared-query.js';
import { type PreparedStatement, rowsOf } from '../database/sql.js';
import type { Transaction } from '../database/transaction.js';
import { activeTraceparent } from '../observability/spans.js';
import type { EventKind } from './event-catalogue.js';
import type { MessageForProject } from './message-body.js';
import { WebhookEntity } from './webhook.entity.js';

/** SQL condition for a webhook that accepts messages: active, not deleted, and with an active account. */
export const LISTENS = `webhook.is_active AND webhook.deleted_at IS NULL
  AND NOT EXISTS (SELECT FROM users WHERE users.id = webhook.user_id AND NOT users.is_active)`;

/** By hand: any number of messages in one statement, each for all webhooks that want it. */
const INSERT: PreparedStatement = {
  name: 'insert_deliveries',
  text: `INSERT INTO webhook_deliveries (webhook_id, event, format, payload, traceparent, next_attempt_at)
    SELECT webhook.id, $1, webhook.format,
      CASE webhook.format WHEN 'slack' THEN message.slack WHEN 'text' THEN message.text
        ELSE coalesce(CASE WHEN webhook.include_payloads THEN message.complete END, message.standard) END, $7, now()
    FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $8::text[]) WITH ORDINALITY
      AS message(user_id, standard, slack, text, complete, number)
    JOIN webhooks AS webhook ON webhook.user_id = message.user_id
    WHERE webhook.events && $2::text[] AND ${LISTENS}
    ORDER BY message.number
    RETURNING id`,
};

const LISTENERS = new PreparedQuery('webhooks_that_listen', ['projectIds', 'patterns'], (connection) =>
  selectRows(connection, WebhookEntity, 'webhook', ['projectId', 'includePayloads'])
    .where(`webhook.projectId = ANY (${idList('projectIds')})`)
    .andWhere(`webhook.events && (SELECT :patterns::text[]) AND ${LISTENS}`),
);
/** A webhook that gets the messages of a project's events. */
type Listener = Pick<WebhookEntity, 'projectId' | 'includePayloads'>;

/**
 * Writes to the queue of deliveries, for the transaction of an event. `DeliveryQueueRepository` is the dispatcher's
 * side.
 */
@Injectable()
export class OutboxRepository {
  /**
   * Inserts a row for each message and each of its user's webhooks that subscribes to such events.
   *
   * @param patterns the patterns that match this kind
   * @returns the number of rows
   */
  async insert(
    tx: Transaction,
    kind: EventKind,
    patterns: readonly string[],
    messages: readonly MessageForProject[],
  ): Promise<number> {
    const values = [
      kind,
      patterns,
      messages.map(({ projectId }) => projectId),
      messages.map(({ payloads }) => payloads.standard),
      messages.map(({ payloads }) => payloads.slack),
      messages.map(({ payloads }) => payloads.text),
      activeTraceparent() ?? null,
      messages.map(({ complete }) => complete),
    ];
    return (await rowsOf(tx, INSERT, values)).length;
  }

  /** The webhooks of these projects that subscribe to such events. */
  listeners(
    tx: Transaction,
    projectIds: readonly string[],
    patterns: readonly string[],
  ): Promise<Listener[]> {
    return LISTENERS.rows<Listener>(tx, { projectIds: [...new Set(projectIds)], patterns });
  }
}
