import { writtenBytes } from '../../database/written-json.js';
import { MAXIMUM_OBJECT_BYTES } from '../entry-reader.js';
import type { SubmittedMetric } from '../metric-submission.js';
import { attributesOf, type Members, membersOf, objectText, scopeOf } from './attributes.js';
import { dataPointsOf } from './data-points.js';
import type { ExportMetricsServiceRequest, Metric } from './generated/otlp_pb.js';
import { nameOfMetric, nameOfSeries } from './series-name.js';
import {
  deploymentIdOf,
  ExportCollector,
  type ExportedEntry,
  runIdOf,
  type TelemetryExport,
} from './telemetry-export.js';
import { UsageColumnSums } from './usage-columns.js';

/** The bytes of `"metrics":{}` and of the commas and braces around it. */
const FRAME_BYTES = 20;
/** The comma and the blank after a member. */
const SEPARATOR_BYTES = 2;

/** Points that are stored in one row. */
interface Row {
  /** The member of the JSON object for each series. */
  readonly members: Map<string, string>;
  /** Size of the whole object. */
  bytes: number;
}

/** All points of one resource, scope and moment. */
interface Sample {
  readonly timestamp: Date;
  readonly usage: UsageColumnSums;
  readonly rows: Row[];
}

export type ExportedMetric = SubmittedMetric & ExportedEntry;

/**
 * Makes rows of metrics from an export: one for each resource, scope and moment, or several if one would be too large.
 * Pure.
 *
 * @throws InvalidError past the limits of a request
 */
export function readMetricExport(
  { resourceMetrics }: ExportMetricsServiceRequest,
  receivedAt: Date,
): TelemetryExport<ExportedMetric> {
  const collected = new ExportCollector<ExportedMetric>('rows of metrics', receivedAt);
  for (const [index, { resource, scopeMetrics }] of resourceMetrics.entries()) {
    const path = `resourceMetrics.${index}`;
    const deploymentId = deploymentIdOf(resource);
    const runId = runIdOf(resource);
    const resourceAttributes = attributesOf(resource?.attributes);
    for (const [scopeIndex, { scope, metrics }] of scopeMetrics.entries()) {
      const origin = membersOf({ scope: scopeOf(scope), resource: resourceAttributes });
      const scopePath = `${path}.scopeMetrics.${scopeIndex}`;
      for (const { timestamp, usage, rows } of samplesOf(metrics, origin, scopePath, collected)) {
        for (const [rowIndex, { members }] of rows.entries()) {
          collected.add({
            path: `${scopePath}.`,
            timestamp,
            deploymentId,
            runId,
            size: members.size,
            ...(rowIndex === 0 ? usage : new UsageColumnSums()).columns(),
            custom: objectText(`"metrics":{${[...members.values()].join(',')}}`, origin.text),
          });
        }
      }
    }
  }
  return collected.result();
}

function samplesOf(
  metrics: readonly Metric[],
  origin: Members,
  path: string,
  collected: ExportCollector<ExportedMetric>,
): Iterable<Sample> {
  const samples = new Map<number, Sample>();
  for (const [index, metric] of metrics.entries()) {
    const name = nameOfMetric(metric);
    for (const point of dataPointsOf(metric)) {
      const series = nameOfSeries(name, point.attributes);
      const member = `${JSON.stringify(series)}:${JSON.stringify(point.value)}`;
      const bytes = writtenBytes(member) + SEPARATOR_BYTES;
      if (origin.bytes + FRAME_BYTES + bytes > MAXIMUM_OBJECT_BYTES) {
        collected.reject(
          1,
          `${path}.metrics.${index} has a point of more than ${MAXIMUM_OBJECT_BYTES} bytes with scope and resource`,
        );
        continue;
      }
      const timestamp = collected.timeOf(point.time);
      const sample = samples.get(timestamp.getTime()) ?? {
        timestamp,
        usage: new UsageColumnSums(),
        rows: [],
      };
      samples.set(timestamp.getTime(), sample);
      sample.usage.add(metric.name, point);
      rowFor(sample, series, bytes, origin, collected).members.set(series, member);
    }
  }
  return samples.values();
}

/** A row of the sample that has room for a series and does not contain it: the last one, or a new one. */
function rowFor(
  { rows }: Sample,
  series: string,
  bytes: number,
  origin: Members,
  collected: ExportCollector<ExportedMetric>,
): Row {
  const last = rows.at(-1);
  if (last && !last.members.has(series) && last.bytes + bytes <= MAXIMUM_OBJECT_BYTES) {
    last.bytes += bytes;
    collected.reserve(bytes);
    return last;
  }
  const row: Row = { members: new Map(), bytes: origin.bytes + FRAME_BYTES + bytes };
  collected.reserve(row.bytes);
  rows.push(row);
  return row;
}
