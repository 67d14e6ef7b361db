import { ApiExtraModels, ApiProperty, getSchemaPath, PickType } from '@nestjs/swagger';
import { InvalidError } from '../../errors/domain-error.js';
import { MAXIMUM_CUSTOM_NAMES } from '../metrics.repository.js';
import type { BucketRequest, BucketValue } from '../telemetry.types.js';
import { ListMetricsQuery } from './list-telemetry.query.js';
import { TextField, WholeNumberParameter } from '../../http/request-fields.js';

const MAXIMUM_BUCKETS = 1_000;
/** Number of buckets if the request does not set their length. */
const USUAL_BUCKETS = 120;
const USUAL_RANGE_MS = 60 * 60_000;
const LONGEST_BUCKET_SECONDS = 86_400;

export class MetricBucketsQuery extends PickType(ListMetricsQuery, ['since', 'until'] as const) {
  @WholeNumberParameter({
    min: 1,
    max: LONGEST_BUCKET_SECONDS,
    optional: true,
    description:
      `Length of a bucket; the range can have at most ${MAXIMUM_BUCKETS}. Default: ${USUAL_BUCKETS} fill the range. ` +
      'Without `until` the range ends now; without `since` it is an hour long.',
  })
  bucket_seconds?: number;

  @TextField({
    max: 200,
    optional: true,
    description: "Only the agent's own measurements with this text in their names; case-insensitive.",
    example: 'latency',
  })
  q?: string;
}

export class MetricRange {
  @ApiProperty({ type: 'number', format: 'double', example: 3.1 })
  min: number;

  @ApiProperty({ type: 'number', format: 'double', example: 12.5 })
  mean: number;

  @ApiProperty({ type: 'number', format: 'double', example: 95.5 })
  max: number;
}

export class CustomMetricRange extends MetricRange {
  @ApiProperty({
    type: 'number',
    format: 'double',
    minimum: 0,
    description:
      'The increase, if it is a total; a total that falls has restarted. Delta points of a counter are added up.',
    example: 42,
  })
  rise: number;
}

const ApiRange = () => ApiProperty({ type: MetricRange, nullable: true });
const ApiRise = (column: string) =>
  ApiProperty({
    type: 'number',
    nullable: true,
    minimum: 0,
    description: `The increase of \`${column}\`; a total that falls has restarted.`,
    example: 42,
  });

@ApiExtraModels(CustomMetricRange)
export class MetricBucket {
  @ApiProperty({ format: 'date-time', description: 'Its beginning.', example: '2026-01-31T09:30:00.000Z' })
  timestamp: string;

  @ApiRange()
  cpu_usage: MetricRange | null;

  @ApiRange()
  memory_usage: MetricRange | null;

  @ApiRise('requests_processed')
  requests: number | null;

  @ApiRise('errors_count')
  errors: number | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: getSchemaPath(CustomMetricRange) },
    description:
      "Numbers in the agent's own measurements and in their `metrics`, which come from OpenTelemetry: the first " +
      `${MAXIMUM_CUSTOM_NAMES} names of the range. For a distribution, the mean since the previous sample.`,
  })
  custom: Record<string, CustomMetricRange>;
}

export class MetricSummary {
  @ApiProperty({ format: 'date-time' })
  since: string;

  @ApiProperty({ format: 'date-time' })
  until: string;

  @ApiProperty({ type: 'integer', minimum: 1, example: 30 })
  bucket_seconds: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description:
      `Number of names of the agent's own measurements in the range; \`custom\` has at most ${MAXIMUM_CUSTOM_NAMES} ` +
      'of them.',
    example: 7,
  })
  custom_names: number;

  @ApiProperty({ type: [MetricBucket], description: 'Oldest first. Buckets without samples are left out.' })
  buckets: MetricBucket[];
}

/** @throws InvalidError if the range is empty or has too many buckets */
export function bucketRequest(
  { since, until, bucket_seconds, q = '' }: MetricBucketsQuery,
  now: Date,
): BucketRequest {
  const end = until ?? now;
  const begin = since ?? new Date(end.getTime() - USUAL_RANGE_MS);
  const range = (end.getTime() - begin.getTime()) / 1_000;
  if (range <= 0) throw InvalidError.of('since', 'out_of_range', 'since must be before until');
  const seconds = bucket_seconds ?? Math.max(1, Math.ceil(range / USUAL_BUCKETS));
  if (range / seconds > MAXIMUM_BUCKETS) {
    throw InvalidError.of(
      'bucket_seconds',
      'out_of_range',
      `bucket_seconds must be at least ${Math.ceil(range / MAXIMUM_BUCKETS)} for this range: ${MAXIMUM_BUCKETS} buckets at most`,
    );
  }
  return { since: begin, until: end, seconds, named: q };
}

/** @param values values of the buckets, in the order of the buckets */
export function toMetricSummary(
  { since, until, seconds }: BucketRequest,
  values: readonly BucketValue[],
): MetricSummary {
  const buckets: MetricBucket[] = [];
  for (const { bucket, kind, name, min, mean, max, rise } of values) {
    if (buckets.at(-1)?.timestamp !== bucket) buckets.push(emptyBucket(bucket));
    const current = buckets.at(-1)!;
    if (kind === 'requests' || kind === 'errors') current[kind] = rise;
    else {
      const range = { min, mean, max };
      if (kind === 'custom') current.custom[name] = { ...range, rise: rise! };
      else current[kind] = range;
    }
  }
  return {
    since: since.toISOString(),
    until: until.toISOString(),
    bucket_seconds: seconds,
    custom_names: values[0]?.names ?? 0,
    buckets,
  };
}

function emptyBucket(timestamp: string): MetricBucket {
  // An object without a prototype, because agents choose the names, and `__proto__` is a name like any other.
  const custom = Object.create(null) as MetricBucket['custom'];
  return { timestamp, cpu_usage: null, memory_usage: null, requests: null, errors: null, custom };
}
