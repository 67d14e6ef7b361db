import { createHash } from 'node:crypto';
import { plausibleTime } from '../entry-reader.js';
import { type Attributes, nameIn } from './attribute-values.js';
import { attributesOf } from './attributes.js';
import { type DataPoint, dataPointsOf } from './data-points.js';
import type { ExportMetricsServiceRequest, Metric, ResourceMetrics } from './generated/otlp_pb.js';
import { deploymentIdOf, runIdOf } from './telemetry-export.js';

export type UsageBucket =
  | 'inputTokens'
  | 'cacheReadTokens'
  | 'cacheWriteTokens'
  | 'outputTokens'
  | 'reasoningTokens'
  | 'llmCalls'
  | 'costUsd';

/** One point of a metric of models' usage. */
export interface UsagePoint {
  /** The id as the agent sent it. Ownership is not verified yet. */
  readonly deploymentId: string | null;
  /** As {@link deploymentId}. */
  readonly runId: string | null;
  readonly model: string | null;
  readonly provider: string | null;
  readonly timestamp: Date;
  /** Identity of the counted amount: resource, scope, metric, attributes and bucket; 32 hexadecimal digits. */
  readonly series: string;
  readonly bucket: UsageBucket;
  /** True if the series of `inputTokens` contains these tokens, too: see {@link UsageSums}. */
  readonly isWithinInput: boolean;
  /** A finite number that is not negative. */
  readonly value: number;
  /** True if the value counts from the last point instead of `startTime`. */
  readonly isDelta: boolean;
  /** When a total began to be counted: another one means that the program started again. Null: not reported. */
  readonly startTime: Date | null;
}

interface Meaning {
  readonly bucket: UsageBucket;
  readonly isWithinInput?: boolean;
  /** The number of values of a distribution counts, instead of their sum. */
  readonly isCount?: boolean;
}

/** Metrics of the conventions since September 2026: cached tokens are within the input, reasoning within the output. */
const INFERENCE_USAGE = 'gen_ai.client.inference.usage.';
const INFERENCE_DURATION = 'gen_ai.client.inference.duration';
const EMBEDDINGS_INPUT = 'gen_ai.client.embeddings.operation.input_tokens';
/** The metric that those replaced. Some libraries write both. */
const TOKEN_USAGE = 'gen_ai.client.token.usage';

/** Calls that report their number of tokens, one value of a distribution each. */
const CALLS_WITH_INPUT: readonly Meaning[] = [
  { bucket: 'inputTokens' },
  { bucket: 'llmCalls', isCount: true },
];

const METRICS = new Map<string, readonly Meaning[]>([
  [`${INFERENCE_USAGE}input_tokens`, [{ bucket: 'inputTokens' }]],
  [`${INFERENCE_USAGE}output_tokens`, [{ bucket: 'outputTokens' }]],
  [`${INFERENCE_USAGE}cache_read.input_tokens`, [{ bucket: 'cacheReadTokens', isWithinInput: true }]],
  [`${INFERENCE_USAGE}cache_write.input_tokens`, [{ bucket: 'cacheWriteTokens', isWithinInput: true }]],
  [`${INFERENCE_USAGE}reasoning.output_tokens`, [{ bucket: 'reasoningTokens' }]],
  [INFERENCE_DURATION, [{ bucket: 'llmCalls', isCount: true }]],
  [EMBEDDINGS_INPUT, CALLS_WITH_INPUT],
  ['claude_code.cost.usage', [{ bucket: 'costUsd' }]],
]);

/** Metrics whose buckets are the values of an attribute. */
const TYPED_METRICS = new Map<string, { attribute: string; types: ReadonlyMap<unknown, readonly Meaning[]> }>(
  [
    [
      TOKEN_USAGE,
      {
        attribute: 'gen_ai.token.type',
        types: new Map([
          ['input', CALLS_WITH_INPUT],
          ['output', [{ bucket: 'outputTokens' }]],
          // until version 1.27 of the conventions
          ['completion', [{ bucket: 'outputTokens' }]],
        ]),
      },
    ],
    [
      'claude_code.token.usage',
      {
        attribute: 'type',
        // Disjoint: Claude Code copies the usage of Anthropic's API, whose input has no cached tokens in it.
        types: new Map([
          ['input', [{ bucket: 'inputTokens' }]],
          ['output', [{ bucket: 'outputTokens' }]],
          ['cacheRead', [{ bucket: 'cacheReadTokens' }]],
          ['cacheCreation', [{ bucket: 'cacheWriteTokens' }]],
        ]),
      },
    ],
  ],
);

/** Operations that are a call of a model; others report the sum of the calls within them. */
const CALLS: readonly unknown[] = ['chat', 'generate_content', 'text_completion', 'embeddings'];
const MODEL = ['gen_ai.response.model', 'gen_ai.request.model'];
const PROVIDER = ['gen_ai.provider.name', 'gen_ai.system'];
const CLAUDE_CODE_PREFIX = 'claude_code.';
const SERIES_DIGITS = 32;
const NANOSECONDS_IN_A_MILLISECOND = 1_000_000n;

/** Reads tokens, calls and cost from the metrics of an export. Pure. */
export function readUsagePoints(
  { resourceMetrics }: ExportMetricsServiceRequest,
  receivedAt: Date,
): UsagePoint[] {
  return resourceMetrics.flatMap((ofResource) => pointsOfResource(ofResource, receivedAt));
}

function pointsOfResource({ resource, scopeMetrics }: ResourceMetrics, receivedAt: Date): UsagePoint[] {
  const ids = { deploymentId: deploymentIdOf(resource), runId: runIdOf(resource) };
  const origin = seriesOf(sorted(attributesOf(resource?.attributes)));
  return scopeMetrics.flatMap(({ scope, metrics }) =>
    countedOf(metrics).flatMap((metric) =>
      dataPointsOf(metric).flatMap((point) =>
        usageOf(metric.name, point, receivedAt).map(({ attributes, ...usage }) => ({
          ...ids,
          ...usage,
          series: seriesOf([origin, scope?.name ?? '', metric.name, sorted(attributes), usage.bucket]),
        })),
      ),
    ),
  );
}

/** Metrics of a library that are read: sums and distributions, each fact once. */
function countedOf(metrics: readonly Metric[]): Metric[] {
  const isNew = metrics.some(({ name }) => name.startsWith(INFERENCE_USAGE) || name === EMBEDDINGS_INPUT);
  const isOld = !isNew && metrics.some(({ name }) => name === TOKEN_USAGE);
  return metrics.filter(({ name, data }) => {
    const isCounted =
      data.case === 'sum' || data.case === 'histogram' || data.case === 'exponentialHistogram';
    if (!isCounted || (isNew && name === TOKEN_USAGE) || (isOld && name === INFERENCE_DURATION)) return false;
    return METRICS.has(name) || TYPED_METRICS.has(name);
  });
}

function usageOf(metric: string, point: DataPoint, receivedAt: Date) {
  const attributes = attributesOf(point.attributes);
  const operation = attributes['gen_ai.operation.name'];
  if (operation !== undefined && !CALLS.includes(operation)) return [];
  const isClaudeCode = metric.startsWith(CLAUDE_CODE_PREFIX);
  const of = {
    attributes,
    model: nameIn(attributes, isClaudeCode ? ['model'] : MODEL),
    provider: isClaudeCode ? 'anthropic' : nameIn(attributes, PROVIDER),
    timestamp: plausibleTime(dateOf(point.time), receivedAt),
    startTime: dateOf(point.startTime),
    isDelta: point.isDelta,
  };
  return meaningsOf(metric, attributes).flatMap(({ bucket, isWithinInput = false, isCount = false }) => {
    const value = isCount ? point.amount : point.total;
    if (value === undefined || !Number.isFinite(value) || value < 0) return [];
    return [{ ...of, bucket, isWithinInput, value }];
  });
}

function meaningsOf(metric: string, attributes: Attributes): readonly Meaning[] {
  const typed = TYPED_METRICS.get(metric);
  return METRICS.get(metric) ?? typed?.types.get(attributes[typed.attribute]) ?? [];
}

function dateOf(nanoseconds: bigint): Date | null {
  return nanoseconds === 0n ? null : new Date(Number(nanoseconds / NANOSECONDS_IN_A_MILLISECOND));
}

/** The order of attributes has no meaning in the protocol. */
function sorted(attributes: Attributes): [string, unknown][] {
  return Object.entries(attributes).sort(([one], [other]) => (one < other ? -1 : 1));
}

function seriesOf(identity: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, SERIES_DIGITS);
}

/** Increments of one model, of which the sums are disjoint. */
export class UsageSums {
  private readonly sums = new Map<UsageBucket, number>();
  private withinInput = 0;

  /** @param increment the value of a delta; of a total, the difference to the one before */
  add({ bucket, isWithinInput }: UsagePoint, increment: number): void {
    this.sums.set(bucket, (this.sums.get(bucket) ?? 0) + increment);
    if (isWithinInput) this.withinInput += increment;
  }

  /** The sum of a bucket. An input with fewer tokens than were cached was reported without them. */
  of(bucket: UsageBucket): number {
    const sum = this.sums.get(bucket) ?? 0;
    return bucket === 'inputTokens' && this.withinInput <= sum ? sum - this.withinInput : sum;
  }
}
