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
    description: 'In dollars, as reported by its emitter.',
    example: '0.001200',
  })
  cost_usd: string | null;
}

/** A span in a list. */
export class SpanResponse {
  @ApiProperty({ format: 'uuid', description: 'Consists of the ids of the trace and the span.' })
  id: string;

  @ApiProperty({ example: '4bf92f3577b34da6a3ce929d0e0e4736' })
  trace_id: string;

  @ApiProperty({ example: '00f067aa0ba902b7' })
  span_id: string;

  @TextProperty('Null: it is a root span.', '53995c3f42cd8ad8')
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

  @TextProperty('Type of the error.', 'timeout')
  error_type: string | null;

  @TextProperty("The program's error message.", 'the model did not answer')
  error_message: string | null;

  @ApiProperty({ format: 'date-time' })
  started_at: string;

  @ApiProperty({ minimum: 0, example: 812.5 })
  duration_ms: number;

  @TextProperty('The model that answered, else the requested one.', 'gpt-4o-2024-08-06')
  model: string | null;

  @TextProperty('Provider of the model.', 'openai')
  provider: string | null;

  @TextProperty('The tool that was called.', 'search')
  tool: string | null;

  @ApiProperty({
    type: SpanUsageResponse,
    nullable: true,
    description: 'Null: the span has no token counts.',
  })
  usage: SpanUsageResponse | null;
}

/** The content of messages and tools of a span. */
export class SpanContentResponse {
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true })
  attributes: Record<string, unknown> | null;

  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true }, nullable: true })
  events: unknown[] | null;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Number of events that did not fit.', example: 0 })
  dropped_events: number;

  @TextProperty('Why no content is shown; null: it is shown.', "The agent's quota of that day was used up")
  omitted: string | null;
}

/** A span with all that is known of it. */
export class SpanDetailResponse extends SpanResponse {
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true })
  attributes: Record<string, unknown> | null;

  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true }, nullable: true })
  events: unknown[] | null;

  @ApiProperty({ description: 'Content of the span is stored; `reveal=true` shows it.' })
  has_content: boolean;

  @ApiProperty({
    type: SpanContentResponse,
    nullable: true,
    description: 'Null without `reveal=true`, or if no content is stored.',
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
