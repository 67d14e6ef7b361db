import { Injectable } from '@nestjs/common';
import { returnedRows } from '../database/entity-rows.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { NewsletterSizeEntity } from './newsletter-size.entity.js';
import { NewsletterSubscriberEntity } from './newsletter-subscriber.entity.js';

@Injectable()
export class NewsletterRepository {
  /** @returns false if the address is subscribed already, regardless of case */
  async insert(
    tx: Transaction,
    subscriber: Pick<NewsletterSubscriberEntity, 'id' | 'email' | 'source'>,
  ): Promise<boolean> {
    const inserted = await returnedRows(
      tx
        .createQueryBuilder()
        .insert()
        .into(NewsletterSubscriberEntity)
        .values(subscriber)
        .orIgnore()
        .returning('id')
        .updateEntity(false),
    );
    return inserted.length > 0;
  }

  /** The exact number, read from one row, so that the cost does not grow with the table. */
  async count(connection: Connection): Promise<number> {
    const size = await connection.getRepository(NewsletterSizeEntity).findOneBy({ isOnlyRow: true });
    return size?.subscribers ?? 0;
  }
}
