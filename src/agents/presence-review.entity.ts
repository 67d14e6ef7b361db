import { Check, Entity, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

/**
 * The monitor's last complete review of all rows of presence: one row for all instances. A time of the database's clock
 * between the two says that no agent with the contact `recent` can have fallen silent yet.
 */
@Entity('presence_review')
@Check('presence_review_is_only_row_check', 'is_only_row')
export class PresenceReviewEntity {
  @PrimaryColumn('boolean', {
    name: 'is_only_row',
    default: true,
    primaryKeyConstraintName: 'presence_review_pkey',
  })
  isOnlyRow: boolean;

  /** `-infinity`: never. */
  @TimestampColumn({ name: 'reviewed_at' })
  reviewedAt: string;

  @TimestampColumn({ name: 'holds_until' })
  holdsUntil: string;
}
