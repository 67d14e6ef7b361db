import { ApiProperty } from '@nestjs/swagger';
import { dollarsOf } from '../runs/usage.response.js';
import type { AgentSpanEntity } from './agent-span.entity.js';
import type { FoundSpan } from './span-reading.service.js';
import { SPAN_KINDS, SPAN_STATUSES, type SpanKind, type SpanStatus } from './span.types.js';

const TextProperty = (description: string, example: string) =>
  ApiProperty({ type: String, nullable: true, description, example });

const TokenProperty = () => ApiProperty({ type: 'integer', minimum: 0, example: 120 });

/** Tokens of one call of a model. */
export class SpanUsageResponse {
  @TokenProperty()
  input_tokens: number;

  @TokenProperty()
  cache_read_tokens: number;

  @TokenProperty()
  cache_write_tokens: number;

  @TokenProperty()
  output_tokens: number;

  @TokenProperty()
  reasoning_tokens: number;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Dollars, as its emitter says.',
    example: '0.001200',
  })
  cost_usd: string | null;
}

/** A span in a list. */
export class SpanResponse {
  @ApiProperty({ format: 'uuid', description: 'Made of the ids of its trace and of its own.' })
  id: string;

  @ApiProperty({ example: '4bf92f3577b34da6a3ce929d0e0e4736' })
  trace_id: string;

  @ApiProperty({ example: '00f067aa0ba902b7' })
  span_id: string;

  @TextProperty('Null: nothing is above it.', '53995c3f42cd8ad8')
  parent_span_id: string | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  run_id: string | null;

  @ApiProperty({ format: 'uuid' })
  agent_id: string;

  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  deployment_id: string | null;

  @ApiProperty({ type: 'integer', nullable: true })
  config_version: number | null;

  @ApiProperty({ example: 'chat gpt-4o' })
  name: string;

  @ApiProperty({ enum: SPAN_KINDS, enumName: 'SpanKind' })
  kind: SpanKind;

  @ApiProperty({ enum: SPAN_STATUSES, enumName: 'SpanStatus' })
  status: SpanStatus;

  @TextProperty('What kind of error it was.', 'timeout')
  error_type: string | null;

  @TextProperty('What the program said of its error.', 'the model did not answer')
  error_message: string | null;

  @ApiProperty({ format: 'date-time' })
  started_at: string;

  @ApiProperty({ minimum: 0, example: 812.5 })
  duration_ms: number;

  @TextProperty('The model that answered, else the one that was asked for.', 'gpt-4o-2024-08-06')
  model: string | null;

  @TextProperty('Who serves the model.', 'openai')
  provider: string | null;

  @TextProperty('The tool that was called.', 'search')
  tool: string | null;

  @ApiProperty({ type: SpanUsageResponse, nullable: true, description: 'Null: it says nothing of tokens.' })
  usage: SpanUsageResponse | null;
}

/** The content of messages and tools of a span. */
export class SpanContentResponse {
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true })
  attributes: Record<string, unknown> | null;

  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true }, nullable: true })
  events: unknown[] | null;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Number of events that had no room.', example: 0 })
  dropped_events: number;

  @TextProperty('Why nothing of it is shown; null: it is.', 'Its agent had no room left on that day')
  omitted: string | null;
}

/** A span with all that is known of it. */
export class SpanDetailResponse extends SpanResponse {
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true })
  attributes: Record<string, unknown> | null;

  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true }, nullable: true })
  events: unknown[] | null;

  @ApiProperty({ description: 'Content of it is kept, which `reveal=true` shows.' })
  has_content: boolean;

  @ApiProperty({
    type: SpanContentResponse,
    nullable: true,
    description: 'Null unless it was asked for with `reveal=true`, or if none is kept.',
  })
  content: SpanContentResponse | null;
}

export function toSpanResponse(span: AgentSpanEntity): SpanResponse {
  return {
    id: span.id,
    trace_id: span.traceId.toString('hex'),
    span_id: span.spanId.toString('hex'),
    parent_span_id: span.parentSpanId?.toString('hex') ?? null,
    run_id: span.runId,
    agent_id: span.agentId,
    deployment_id: span.deploymentId,
    config_version: span.configVersion,
    name: span.name,
    kind: span.kind,
    status: span.status,
    error_type: span.errorType,
    error_message: span.errorMessage,
    started_at: span.timestamp,
    duration_ms: span.durationMs,
    model: span.model,
    provider: span.provider,
    tool: span.tool,
    usage: usageOf(span),
  };
}

export function toSpanDetail({ span, hasContent, content }: FoundSpan): SpanDetailResponse {
  const { attributes, events } = span;
  return { ...toSpanResponse(span), attributes, events, has_content: hasContent, content };
}

function usageOf(span: AgentSpanEntity): SpanUsageResponse | null {
  if (span.inputTokens === null) return null;
  return {
    input_tokens: span.inputTokens,
    cache_read_tokens: span.cacheReadTokens ?? 0,
    cache_write_tokens: span.cacheWriteTokens ?? 0,
    output_tokens: span.outputTokens ?? 0,
    reasoning_tokens: span.reasoningTokens ?? 0,
    cost_usd: span.costMicros === null ? null : dollarsOf(span.costMicros),
  };
}
