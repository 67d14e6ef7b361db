import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

const PRIMARY_KEY = 'agent_span_contents_pkey';

/** Content of a span that its agent keeps. The table is partitioned by day; see `telemetry-partitions.ts`. */
@Entity('agent_span_contents')
export class SpanContentEntity {
  @PrimaryColumn('uuid', { name: 'agent_id', primaryKeyConstraintName: PRIMARY_KEY })
  agentId: string;

  /** The span's start. */
  @TimestampColumn({ primary: true, primaryKeyConstraintName: PRIMARY_KEY })
  timestamp: string;

  /** The span's. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: PRIMARY_KEY })
  id: string;

  /** Sealed JSON text of `{attributes?, events?, dropped_events?}`; null: its agent had no room left on that day. */
  @Column('text', { nullable: true, select: false })
  content: string | null;
}

/** How much content of an agent was stored on the last day on which there was any. */
@Entity('agent_content_sizes')
export class ContentSizeEntity {
  @PrimaryColumn('uuid', { name: 'agent_id', primaryKeyConstraintName: 'agent_content_sizes_pkey' })
  agentId: string;

  /** In UTC. */
  @Column('date')
  day: string;

  @Column('bigint')
  bytes: number;
}
