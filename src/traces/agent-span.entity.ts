import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';
import type { SpanKind, SpanStatus } from './span.types.js';

const PRIMARY_KEY = 'agent_spans_pkey';

/** A span of an agent's trace. The table is partitioned by day; see `telemetry-partitions.ts`. */
@Entity('agent_spans')
@Index('agent_spans_run_id_idx', ['runId', 'timestamp', 'id'], { where: 'run_id IS NOT NULL' })
@Check('agent_spans_kind_check', "kind IN ('agent', 'llm', 'tool', 'retrieval', 'embedding', 'other')")
@Check('agent_spans_status_check', "status IN ('unset', 'ok', 'error')")
export class AgentSpanEntity {
  @PrimaryColumn('uuid', { name: 'agent_id', primaryKeyConstraintName: PRIMARY_KEY })
  agentId: string;

  /** Its start. */
  @TimestampColumn({ primary: true, primaryKeyConstraintName: PRIMARY_KEY })
  timestamp: string;

  /** Made of the trace's id and its own, so that a span that is sent twice is stored once. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: PRIMARY_KEY })
  id: string;

  @Column('bytea', { name: 'trace_id' })
  traceId: Buffer;

  @Column('bytea', { name: 'span_id' })
  spanId: Buffer;

  @Column('bytea', { name: 'parent_span_id', nullable: true })
  parentSpanId: Buffer | null;

  @Column('uuid', { name: 'run_id', nullable: true })
  runId: string | null;

  @Column('uuid', { name: 'deployment_id', nullable: true })
  deploymentId: string | null;

  @Column('integer', { name: 'config_version', nullable: true })
  configVersion: number | null;

  @Column('text')
  name: string;

  @Column('text')
  kind: SpanKind;

  @Column('text')
  status: SpanStatus;

  @Column('text', { name: 'error_type', nullable: true })
  errorType: string | null;

  @Column('text', { name: 'error_message', nullable: true })
  errorMessage: string | null;

  @Column('double precision', { name: 'duration_ms' })
  durationMs: number;

  @Column('text', { nullable: true })
  model: string | null;

  @Column('text', { nullable: true })
  provider: string | null;

  @Column('text', { nullable: true })
  tool: string | null;

  @Column('integer', { name: 'input_tokens', nullable: true })
  inputTokens: number | null;

  @Column('integer', { name: 'cache_read_tokens', nullable: true })
  cacheReadTokens: number | null;

  @Column('integer', { name: 'cache_write_tokens', nullable: true })
  cacheWriteTokens: number | null;

  @Column('integer', { name: 'output_tokens', nullable: true })
  outputTokens: number | null;

  @Column('integer', { name: 'reasoning_tokens', nullable: true })
  reasoningTokens: number | null;

  /** Millionths of a dollar, as its emitter says. */
  @Column('bigint', { name: 'cost_micros', nullable: true })
  costMicros: number | null;

  @Column('jsonb', { nullable: true })
  attributes: Record<string, unknown> | null;

  @Column('jsonb', { nullable: true })
  events: unknown[] | null;
}
