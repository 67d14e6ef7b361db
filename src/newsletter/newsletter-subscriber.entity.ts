import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

/** An address that receives the newsletter. */
@Entity('newsletter_subscribers')
@Index('newsletter_subscribers_email_key', { synchronize: false })
export class NewsletterSubscriberEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'newsletter_subscribers_pkey' })
  id: string;

  /** The address as typed; unique regardless of case. */
  @Column('text')
  email: string;

  /** The source of the sign-up, chosen by the caller. */
  @Column('text', { nullable: true })
  source: string | null;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;
}
