import { IsNull, MoreThan } from 'typeorm';
import { selectRows } from '../database/entity-rows.js';
import type { Connection } from '../database/transaction.js';
import { WebhookEntity } from './webhook.entity.js';

export interface KeptSecret {
  readonly webhookId: string;
  readonly secret: string;
  readonly previousSecret: string | null;
}

/** Signing secrets as they are stored, for the command that seals them under another key. */
export class WebhookSecretsRepository {
  /**
   * Lists secrets that are not encrypted under this key, after a webhook in the order of the ids.
   *
   * @param sealPrefix beginning of secrets that are
   */
  listSecretsNotUnder(
    connection: Connection,
    sealPrefix: string,
    afterId: string,
    limit: number,
  ): Promise<KeptSecret[]> {
    return selectRows(connection, WebhookEntity, 'webhook', ['secret', 'previousSecret'])
      .addSelect('webhook.id', 'webhookId')
      .where({ id: MoreThan(afterId) })
      .andWhere(
        'NOT (starts_with(webhook.secret, :sealPrefix) AND starts_with(coalesce(webhook.previousSecret, :sealPrefix), :sealPrefix))',
        { sealPrefix },
      )
      .orderBy('webhook.id')
      .limit(limit)
      .getRawMany<KeptSecret>();
  }

  /** Replaces a stored secret, unless it was changed in the meantime. */
  async rewriteSecret(connection: Connection, before: KeptSecret, after: KeptSecret): Promise<void> {
    await connection.getRepository(WebhookEntity).update(
      {
        id: before.webhookId,
        secret: before.secret,
        previousSecret: before.previousSecret ?? IsNull(),
      },
      { secret: after.secret, previousSecret: after.previousSecret },
    );
  }
}
