import { jsonNumber } from './attributes.js';
import type {
  ExponentialHistogramDataPoint,
  ExponentialHistogramDataPoint_Buckets,
  HistogramDataPoint,
  KeyValue,
  Metric,
  NumberDataPoint,
  SummaryDataPoint,
} from './generated/otlp_pb.js';

/** The value of `AGGREGATION_TEMPORALITY_DELTA`. */
const DELTA = 1;
/** The flag of a point without a value. */
const NO_RECORDED_VALUE = 1;

export interface DataPoint {
  readonly attributes: readonly KeyValue[];
  /** Nanoseconds since 1970; 0: the point has no time. */
  readonly time: bigint;
  /** When a total began to be counted, in the same form. */
  readonly startTime: bigint;
  /** As JSON. */
  readonly value: unknown;
  /** The number itself, or the count of a distribution. */
  readonly amount: number;
  /** The number itself, or the sum of a distribution; undefined: not reported. */
  readonly total: number | undefined;
  /** True if the amount counts from the last point instead of the program's start. */
  readonly isDelta: boolean;
}

/** True if the points count from the last one instead of the program's start. */
export const isDelta = ({ aggregationTemporality }: { readonly aggregationTemporality: number }): boolean =>
  aggregationTemporality === DELTA;

/** The points of a metric of any kind, without those that have no value. */
export function dataPointsOf({ data }: Metric): DataPoint[] {
  switch (data.case) {
    case 'gauge':
      return valued(data.value.dataPoints).map((point) => numberPoint(point, false));
    case 'sum': {
      const delta = isDelta(data.value);
      const points = valued(data.value.dataPoints).map((point) => numberPoint(point, delta));
      return delta && data.value.isMonotonic ? points.map(markedDelta) : points;
    }
    case 'histogram': {
      const delta = isDelta(data.value);
      return valued(data.value.dataPoints).map((point) => distribution(point, delta, bucketsOf(point)));
    }
    case 'exponentialHistogram': {
      const delta = isDelta(data.value);
      return valued(data.value.dataPoints).map((point) => distribution(point, delta, scaledBuckets(point)));
    }
    case 'summary':
      return valued(data.value.dataPoints).map((point) => distribution(point, false, quantilesOf(point)));
    default:
      return [];
  }
}

function valued<Point extends { readonly flags: number }>(points: readonly Point[]): Point[] {
  return points.filter(({ flags }) => (flags & NO_RECORDED_VALUE) === 0);
}

function numberPoint(
  { attributes, timeUnixNano: time, startTimeUnixNano: startTime, value }: NumberDataPoint,
  isDelta: boolean,
): DataPoint {
  const number = value.value ?? 0;
  const amount = Number(number);
  return { attributes, time, startTime, value: jsonNumber(number), amount, total: amount, isDelta };
}

/** A counter's point in the form of a distribution that counts from the last point: a mere number would be a total. */
function markedDelta(point: DataPoint): DataPoint {
  return { ...point, value: { sum: point.value, delta: true } };
}

type Distribution = HistogramDataPoint | ExponentialHistogramDataPoint | SummaryDataPoint;

function distribution(point: Distribution, isDelta: boolean, rest: object): DataPoint {
  const { attributes, timeUnixNano: time, count, sum } = point;
  const value = {
    count: jsonNumber(count),
    ...(isDelta ? { delta: true } : {}),
    ...numbers({ sum, ...('min' in point ? { min: point.min, max: point.max } : {}) }),
    ...rest,
  };
  const startTime = 'startTimeUnixNano' in point ? point.startTimeUnixNano : 0n;
  return { attributes, time, startTime, value, amount: Number(count), total: sum, isDelta };
}

/** The buckets of a histogram. `counts` has one number more than `bounds`: the values above the last bound. */
function bucketsOf({ explicitBounds, bucketCounts }: HistogramDataPoint): object {
  if (bucketCounts.length === 0) return {};
  return { bounds: explicitBounds.map(jsonNumber), counts: bucketCounts.map(jsonNumber) };
}

function scaledBuckets({ scale, zeroCount, positive, negative }: ExponentialHistogramDataPoint): object {
  return {
    scale,
    zero_count: jsonNumber(zeroCount),
    ...(positive ? { positive: bucketRange(positive) } : {}),
    ...(negative ? { negative: bucketRange(negative) } : {}),
  };
}

function bucketRange({ offset, bucketCounts }: ExponentialHistogramDataPoint_Buckets): object {
  return { offset, counts: bucketCounts.map(jsonNumber) };
}

function quantilesOf({ quantileValues }: SummaryDataPoint): object {
  const entries = quantileValues.map(({ quantile, value }) => [String(quantile), jsonNumber(value)]);
  return { quantiles: Object.fromEntries(entries) as object };
}

function numbers(given: Readonly<Record<string, number | undefined>>): object {
  const present = Object.entries(given).filter((entry): entry is [string, number] => entry[1] !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [name, jsonNumber(value)]));
}
