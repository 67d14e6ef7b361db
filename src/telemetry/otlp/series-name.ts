import { storable } from '../../http/storable-text.js';
import { attributesOf } from './attributes.js';
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
  ['USD', 'usd'],
]);

/** The last word of a name, if it is `total`. */
const TOTAL = /[^A-Za-z0-9]total$/;

/**
 * The name of a metric with its unit, where it does not have it, and, for a counter, `total` as its last word: as Prometheus names
 * what comes by OTLP. Charts read them. Pure.
 */
export function nameOfMetric({ name, unit, data }: Metric): string {
  // A share is a ratio; a counter of the unit 1 counts things.
  const word = unit === '1' && data.case === 'gauge' ? 'ratio' : UNITS.get(unit);
  const isCounter = data.case === 'sum' && data.value.isMonotonic;
  const end = isCounter ? (TOTAL.exec(name)?.[0] ?? '_total') : '';
  const bare = isCounter ? name.replace(TOTAL, '') : name;
  const hasUnit = word === undefined || bare.split(/[^A-Za-z0-9]+/).includes(word);
  return storable(`${bare}${hasUnit ? '' : `_${word}`}${end}`);
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
