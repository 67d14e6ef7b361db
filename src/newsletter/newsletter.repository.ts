import { Injectable } from '@nestjs/common';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { NewsletterSizeEntity } from './newsletter-size.entity.js';
import type { NewsletterSubscriberEntity } from './newsletter-subscriber.entity.js';

@Injectable()
export class NewsletterRepository {
  /**
   * Adds a subscriber and counts it. By hand: two tables in one statement. An address that is there already waits for none that is new,
   * because nothing is counted then, and the row with the count is not locked.
   *
   * @returns false if the address is subscribed already, regardless of case
   */
  async insert(
    tx: Transaction,
    subscriber: Pick<NewsletterSubscriberEntity, 'id' | 'email' | 'source'>,
  ): Promise<boolean> {
    const counted = await rowsOf(
      tx,
      `WITH added AS (
         INSERT INTO newsletter_subscribers (id, email, source) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING id
       )
       UPDATE newsletter_size SET subscribers = subscribers + 1 WHERE EXISTS (SELECT FROM added) RETURNING subscribers`,
      [subscriber.id, subscriber.email, subscriber.source],
    );
    return counted.length > 0;
  }

  /** Removes an address, regardless of case, and no longer counts it. By hand, as above. */
  async delete(tx: Transaction, email: string): Promise<void> {
    await rowsOf(
      tx,
      `WITH removed AS (DELETE FROM newsletter_subscribers WHERE lower(email) = lower($1) RETURNING id)
       UPDATE newsletter_size SET subscribers = subscribers - 1 WHERE EXISTS (SELECT FROM removed)`,
      [email],
    );
  }

  /** The exact number, read from one row, so that the cost does not grow with the table. */
  async count(connection: Connection): Promise<number> {
    const size = await connection.getRepository(NewsletterSizeEntity).findOneBy({ isOnlyRow: true });
    return size?.subscribers ?? 0;
  }
}
