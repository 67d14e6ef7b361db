import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

@Entity('newsletter_subscribers')
@Index('newsletter_subscribers_email_key', { synchronize: false })
export class NewsletterSubscriberEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'newsletter_subscribers_pkey' })
  id: string;

  /** As the person typed it; unique without regard to case. */
  @Column('text')
  email: string;

  /** Where the sign-up came from, in the caller's own words. */
  @Column('text', { nullable: true })
  source: string | null;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;
}
