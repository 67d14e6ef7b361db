import { fromJson, type JsonValue } from '@bufbuild/protobuf';
import {
  ExportMetricsServiceRequestSchema,
  ExportTraceServiceRequestSchema,
} from '../../telemetry/otlp/generated/otlp_pb.js';
import { readUsagePoints, UsageSums, type UsagePoint } from '../../telemetry/otlp/token-metrics.js';
import {
  type Dialect,
  dialects,
  type ExpectedRun,
  type ExpectedSpan,
  type ExpectedTokens,
} from '../../../test/otlp/dialects.js';
import type { Capture } from '../../agents/agent-settings.types.js';
import type { SubmittedSpan, TokenUsage } from '../span.types.js';
import { readTraceExport } from './trace-export.js';

const RECEIVED_AT = new Date('2026-11-26T12:01:00Z');

const decode = (json: unknown) =>
  fromJson(ExportTraceServiceRequestSchema, json as JsonValue, { ignoreUnknownFields: true });

/** Spans of all exports, as a table with a key would have them: the first one with an id stays. */
function spansOf({ traces }: Dialect, capture: Capture = 'none', detail: 'genai' | 'all' = 'genai') {
  const spans = new Map<string, SubmittedSpan>();
  for (const json of traces) {
    const { entries, rejected, isDated } = readTraceExport(decode(json), RECEIVED_AT, { detail, capture });
    expect({ rejected, isDated }).toEqual({ rejected: { count: 0, reason: '' }, isDated: true });
    for (const span of entries) {
      const id = `${span.traceId}${span.spanId}`;
      if (!spans.has(id)) spans.set(id, span);
    }
  }
  return [...spans.values()];
}

const told = (tokens: TokenUsage | null): ExpectedTokens | null =>
  tokens && {
    input: tokens.inputTokens,
    cache_read: tokens.cacheReadTokens,
    cache_write: tokens.cacheWriteTokens,
    output: tokens.outputTokens,
    reasoning: tokens.reasoningTokens,
  };

const shown = (span: SubmittedSpan): ExpectedSpan => ({
  span_id: span.spanId,
  parent_span_id: span.parentSpanId,
  is_root: span.isRoot,
  deployment_id: span.deploymentId,
  conversation_id: span.conversationId,
  name: span.name,
  kind: span.kind,
  status: span.status,
  error_type: span.errorType,
  error_message: span.errorMessage,
  duration_ms: span.durationMs,
  model: span.model,
  provider: span.provider,
  tool: span.tool,
  tokens: told(span.tokens),
  cost_usd: span.costUsd,
  is_llm_call: span.isLlmCall,
  is_tool_call: span.isToolCall,
  has_fingerprint: span.toolFingerprint !== null,
});

const plus = (one: ExpectedTokens | null, other: ExpectedTokens | null): ExpectedTokens | null => {
  if (!one || !other) return one ?? other;
  const names = Object.keys(one) as (keyof ExpectedTokens)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as any;
};

function usageOf(spans: readonly SubmittedSpan[]) {
  const calls = spans.filter(({ isLlmCall }) => isLlmCall);
  return [...Map.groupBy(calls, ({ model }) => model)].map(([model, ofModel]) => ({
    model,
    provider: ofModel[0]!.provider,
    llm_calls: ofModel.length,
    tokens: ofModel.map(({ tokens }) => told(tokens)).reduce(plus, null),
    cost_usd: ofModel.some(({ costUsd }) => costUsd !== null)
      ? ofModel.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)
      : null,
  }));
}

function runsOf(spans: readonly SubmittedSpan[]): ExpectedRun[] {
  return [...Map.groupBy(spans, ({ traceId }) => traceId)].map(([traceId, ofRun]) => {
    const root = ofRun.find(({ isRoot }) => isRoot);
    const tools = ofRun.filter(({ isToolCall }) => isToolCall);
    return {
      trace_id: traceId,
      run_id: ofRun[0]!.runId,
      conversation_id: ofRun.find(({ conversationId }) => conversationId)?.conversationId ?? null,
      is_ended: root !== undefined,
      status: root?.status ?? null,
      tool_calls: tools.length,
      tool_errors: tools.filter(({ status }) => status === 'error').length,
      usage: usageOf(ofRun) as ExpectedRun['usage'],
    };
  });
}

/** Sums of the points of each model: a delta counts, and of a total the difference to the one before. */
function metricsOf({ metrics }: Dialect) {
  const before = new Map<string, number>();
  const models = new Map<string | null, { provider: string | null; sums: UsageSums }>();
  const incrementOf = ({ series, value, isDelta }: UsagePoint) => {
    const increment = isDelta ? value : value - (before.get(series) ?? 0);
    before.set(series, value);
    return increment;
  };
  for (const json of metrics) {
    const sent = fromJson(ExportMetricsServiceRequestSchema, json as JsonValue, {
      ignoreUnknownFields: true,
    });
    for (const point of readUsagePoints(sent, RECEIVED_AT)) {
      const of = models.get(point.model) ?? { provider: point.provider, sums: new UsageSums() };
      models.set(point.model, of);
      of.sums.add(point, incrementOf(point));
    }
  }
  return [...models].map(([model, { provider, sums }]) => ({
    model,
    provider,
    tokens: {
      input: sums.of('inputTokens'),
      cache_read: sums.of('cacheReadTokens'),
      cache_write: sums.of('cacheWriteTokens'),
      output: sums.of('outputTokens'),
      reasoning: sums.of('reasoningTokens'),
    },
    llm_calls: sums.of('llmCalls'),
    cost_usd: sums.of('costUsd'),
  }));
}

const byId = <Item extends { readonly span_id: string }>(items: readonly Item[]) =>
  [...items].sort((one, other) => (one.span_id < other.span_id ? -1 : 1));
const byModel = (runs: readonly ExpectedRun[]) =>
  [...runs]
    .map((run) => ({
      ...run,
      usage: [...run.usage].sort((one, other) => (one.model < other.model ? -1 : 1)),
    }))
    .sort((one, other) => (one.trace_id < other.trace_id ? -1 : 1));

describe.each(dialects())('Exports of the dialect $name', (dialect) => {
  const { expected } = dialect;

  it('have the expected spans', () => {
    const spans = byId(spansOf(dialect).map(shown));
    expect(spans.map(({ span_id }) => span_id)).toEqual(byId(expected.spans).map(({ span_id }) => span_id));
    expect(spans).toMatchObject(byId(expected.spans));
  });

  it('have the expected runs, tokens and cost', () => {
    expect(byModel(runsOf(spansOf(dialect)))).toEqual(byModel(expected.runs));
  });

  it('have the expected usage in metrics', () => {
    expect(metricsOf(dialect)).toEqual(expected.metrics ?? []);
  });

  it('have further spans with the detail "all"', () => {
    const all = spansOf(dialect, 'none', 'all').map(({ spanId }) => spanId);
    const left = all.filter((id) => !expected.spans.some(({ span_id }) => span_id === id));
    expect(left.sort()).toEqual([...expected.left_out].sort());
  });

  const asText = (spans: readonly SubmittedSpan[]) => JSON.stringify(spans);

  it('lose every word of people, models and tools', () => {
    expect(asText(spansOf(dialect, 'none', 'all'))).not.toContain('secret');
  });

  it('keep them apart where the agent captures all', () => {
    const spans = spansOf(dialect, 'all', 'all');
    expect(asText(spans.map((span) => ({ ...span, content: null })))).not.toContain('secret');
    expect(asText(spans).includes('secret')).toBe(JSON.stringify(dialect.traces).includes('secret'));
  });
});
