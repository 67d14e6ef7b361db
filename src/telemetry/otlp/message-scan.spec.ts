import { brotliDecompressSync } from 'node:zlib';
import type { DescMessage } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { EntryCount } from './entry-count.js';
import {
  ExportLogsServiceRequestSchema,
  ExportMetricsServiceRequestSchema,
  ExportTraceServiceRequestSchema,
} from './generated/otlp_pb.js';
import { scanMessage } from './message-scan.js';

const repeated = (bytes: readonly number[], times: number) =>
  new Uint8Array(Buffer.alloc(bytes.length * times, Buffer.from(bytes)));

/** Content within messages, each of which is one field of the one before. */
const nested = (path: readonly number[], content: Uint8Array) =>
  path.reduceRight(
    (inner, field) => new BinaryWriter().tag(field, WireType.LengthDelimited).bytes(inner).finish(),
    content,
  );

/** The fields that lead to the data points of each kind of metric. */
const POINTS: Record<string, readonly number[]> = {
  gauge: [1, 2, 2, 5],
  sum: [1, 2, 2, 7],
  histogram: [1, 2, 2, 9],
  'exponential histogram': [1, 2, 2, 10],
  summary: [1, 2, 2, 11],
};
const POINT = [0x0a, 0];
const FIELDS = 'The body has more than 200000 fields and elements: send less at a time';

/** One log record 99,450 times, without content. */
const EMPTY_RECORDS = 'W/sIg/84We4wSXKtwCCBLwEi6SuGx8IAODsrwAA=';

const COUNTS = new Map<DescMessage, () => EntryCount>([
  [ExportLogsServiceRequestSchema, () => EntryCount.ofLogRecords()],
  [ExportMetricsServiceRequestSchema, () => EntryCount.ofDataPoints()],
  [ExportTraceServiceRequestSchema, () => EntryCount.ofSpans()],
]);
const scanOf = (bytes: Uint8Array, type: DescMessage) => () => scanMessage(bytes, type, COUNTS.get(type)!());

describe('The scan of an export in Protocol Buffers', () => {
  it('refuses 99,450 log records that are 29 bytes after compression, before any is built', () => {
    const body = brotliDecompressSync(Buffer.from(EMPTY_RECORDS, 'base64'));
    expect(scanOf(body, ExportLogsServiceRequestSchema)).toThrow('at most 1000 log records');
  });

  it.each(Object.entries(POINTS))('refuses more than 10,000 points of a %s', (_, path) => {
    const bodyOf = (points: number) => nested(path, repeated(POINT, points));
    expect(scanOf(bodyOf(10_000), ExportMetricsServiceRequestSchema)).not.toThrow();
    expect(scanOf(bodyOf(10_001), ExportMetricsServiceRequestSchema)).toThrow('at most 10000 data points');
  });

  it('refuses more than 10,000 spans', () => {
    const bodyOf = (spans: number) => nested([1, 2], repeated([0x12, 0], spans));
    expect(scanOf(bodyOf(10_000), ExportTraceServiceRequestSchema)).not.toThrow();
    expect(scanOf(bodyOf(10_001), ExportTraceServiceRequestSchema)).toThrow('at most 10000 spans');
  });

  it.each<[string, readonly number[], readonly number[], number]>([
    ['counts of an exponential histogram', [...POINTS['exponential histogram']!, 1, 8, 2], [0], 1_000_000],
    ['counts with a tag each', [...POINTS['exponential histogram']!, 1, 8], [0x10, 0], 500_000],
    ['counts of a histogram', [...POINTS.histogram!, 1, 6], [0, 0, 0, 0, 0, 0, 0, 0], 200_001],
    ['bounds of a histogram', [...POINTS.histogram!, 1, 7], [0, 0, 0, 0, 0, 0, 0, 0], 200_001],
    ['flags of one point', [...POINTS.gauge!, 1], [0x40, 0], 500_000],
    ['unknown fields', [], [0x78, 0], 500_000],
  ])('refuses too many %s', (_, path, element, times) => {
    const body = nested(path, repeated(element, times));
    expect(scanOf(body, ExportMetricsServiceRequestSchema)).toThrow(FIELDS);
  });

  it.each([
    ['further messages follow', 20],
    ['the body ends', 0],
  ])('refuses a text that is longer than its span when %s', (_, following) => {
    const span = nested([1, 2, 2], Buffer.from([0x2a, 3, 0x61]));
    const body = Buffer.concat([span, repeated([0x0a, 0], following)]);
    expect(scanOf(body, ExportTraceServiceRequestSchema)).toThrow(RangeError);
  });

  it('accepts a thousand log records with many attributes', () => {
    const attribute = nested([6], new BinaryWriter().tag(1, WireType.LengthDelimited).string('key').finish());
    const record = nested([2], repeated([...attribute], 40));
    const body = nested([1, 2], repeated([...record], 1_000));
    expect(scanOf(body, ExportLogsServiceRequestSchema)).not.toThrow();
  });
});

describe('The count of entries in JSON', () => {
  it.each(['logRecords', 'log_records'])('includes those of the property %s', (name) => {
    const exportOf = (records: number) => ({
      resourceLogs: [{ scopeLogs: [{ [name]: Array.from({ length: records }, () => ({})) }, {}] }],
    });
    const count = (records: number) => () =>
      EntryCount.ofLogRecords().addJson(exportOf(records), ExportLogsServiceRequestSchema);
    expect(count(1_000)).not.toThrow();
    expect(count(1_001)).toThrow('at most 1000 log records');
  });

  it.each([[null], [7], [{ resourceLogs: 'none' }], [{ resourceLogs: [null, { scopeLogs: null }] }]])(
    'ignores %j, which is no export',
    (json) => {
      expect(() => EntryCount.ofLogRecords().addJson(json, ExportLogsServiceRequestSchema)).not.toThrow();
    },
  );
});
