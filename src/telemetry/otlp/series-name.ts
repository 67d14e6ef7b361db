import { storable } from '../../http/storable-text.js';
import { attributesOf } from './attributes.js';
import { isDelta } from './data-points.js';
import type { KeyValue, Metric } from './generated/otlp_pb.js';

/** Words for the units of the Unified Code for Units of Measure, which OpenTelemetry uses, as Prometheus has them in names. */
const UNITS = new Map([
  ['d', 'days'],
  ['h', 'hours'],
  ['min', 'minutes'],
  ['s', 'seconds'],
  ['ms', 'milliseconds'],
  ['us', 'microseconds'],
  ['ns', 'nanoseconds'],
  ['By', 'bytes'],
  ['KBy', 'kilobytes'],
  ['MBy', 'megabytes'],
  ['GBy', 'gigabytes'],
  ['KiBy', 'kibibytes'],
  ['MiBy', 'mebibytes'],
  ['GiBy', 'gibibytes'],
  ['%', 'percent'],
]);

/**
 * The name of a metric with its unit and, for a total that only rises, `total` as its last words, where it does not have them: as
 * Prometheus names what comes by OTLP. Charts read them. Pure.
 */
export function nameOfMetric({ name, unit, data }: Metric): string {
  // A share is a ratio; a counter of the unit 1 counts things.
  const word = unit === '1' && data.case === 'gauge' ? 'ratio' : UNITS.get(unit);
  const isTotal = data.case === 'sum' && data.value.isMonotonic && !isDelta(data.value);
  const words = [...(word === undefined ? [] : [word]), ...(isTotal ? ['total'] : [])];
  const has = new Set(name.split(/[^A-Za-z0-9]+/));
  return storable([name, ...words.filter((it) => !has.has(it))].join('_'));
}

/** The name of a series, `name{key="value"}` as in Prometheus' text format, with the keys in order. Pure. */
export function nameOfSeries(metric: string, attributes: readonly KeyValue[]): string {
  if (attributes.length === 0) return metric;
  const labels = Object.entries(attributesOf(attributes))
    .map(
      ([key, value]) => `${key}=${JSON.stringify(typeof value === 'string' ? value : JSON.stringify(value))}`,
    )
    .sort();
  return `${metric}{${labels.join(',')}}`;
}
