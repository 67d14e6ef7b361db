import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The number of subscribers: one row, which the statement that adds a subscriber updates. */
@Entity('newsletter_size')
@Check('newsletter_size_is_only_row_check', 'is_only_row')
export class NewsletterSizeEntity {
  @PrimaryColumn('boolean', {
    name: 'is_only_row',
    default: true,
    primaryKeyConstraintName: 'newsletter_size_pkey',
  })
  isOnlyRow: boolean;

  @Column('integer')
  subscribers: number;
}
