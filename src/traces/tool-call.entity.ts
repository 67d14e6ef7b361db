import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

const PRIMARY_KEY = 'run_tool_calls_pkey';

/** How often a run has called a tool with the same arguments and the same result. */
@Entity('run_tool_calls')
@Index('run_tool_calls_last_called_at_idx', ['lastCalledAt'], { where: 'told_at IS NULL' })
@Index('run_tool_calls_loops_idx', ['runId'], { where: 'told_at IS NULL AND calls >= 10' })
export class ToolCallEntity {
  @PrimaryColumn('uuid', { name: 'run_id', primaryKeyConstraintName: PRIMARY_KEY })
  @ForeignKey('RunEntity', { name: 'run_tool_calls_run_id_fkey', onDelete: 'CASCADE' })
  runId: string;

  /** Stands for the tool, its arguments and its result. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: PRIMARY_KEY })
  fingerprint: Buffer;

  @Column('text', { nullable: true })
  tool: string | null;

  @Column('integer')
  calls: number;

  @TimestampColumn({ name: 'last_called_at', default: () => 'now()' })
  lastCalledAt: string;

  /** When it was reported as a loop; null: it was not. */
  @TimestampColumn({ name: 'told_at', nullable: true })
  toldAt: string | null;
}
