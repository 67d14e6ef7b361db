import { Injectable } from '@nestjs/common';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { NewsletterSizeEntity } from './newsletter-size.entity.js';
import type { NewsletterSubscriberEntity } from './newsletter-subscriber.entity.js';

@Injectable()
export class NewsletterRepository {
  /**
   * SQL by hand: the unique index is on an expression.
   *
   * @returns false when the address, in whatever case, is there already: nothing was changed
   */
  async insert(
    tx: Transaction,
    subscriber: Pick<NewsletterSubscriberEntity, 'id' | 'email' | 'source'>,
  ): Promise<boolean> {
    const rows = await rowsOf(
      tx,
      `INSERT INTO newsletter_subscribers (id, email, source) VALUES ($1, $2, $3)
       ON CONFLICT (lower(email)) DO NOTHING
       RETURNING id`,
      [subscriber.id, subscriber.email, subscriber.source],
    );
    return rows.length > 0;
  }

  /** As exact as counting the rows, and as quick however many there are. */
  async count(connection: Connection): Promise<number> {
    const size = await connection.getRepository(NewsletterSizeEntity).findOneBy({ isOnlyRow: true });
    return size?.subscribers ?? 0;
  }
}
