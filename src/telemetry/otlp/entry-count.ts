import type { DescMessage, JsonValue } from '@bufbuild/protobuf';
import { MAXIMUM_DATA_POINTS, MAXIMUM_SPANS } from '../../budget/request-limits.js';
import { InvalidError } from '../../errors/domain-error.js';
import { MAXIMUM_ENTRIES } from '../submission.js';
import {
  ExponentialHistogramDataPointSchema,
  HistogramDataPointSchema,
  LogRecordSchema,
  NumberDataPointSchema,
  SpanSchema,
  SummaryDataPointSchema,
} from './generated/otlp_pb.js';

/** Counts the entries of one export before any is built: 99,000 empty log records are 29 bytes after compression. */
export class EntryCount {
  private count = 0;

  private constructor(
    private readonly types: readonly DescMessage[],
    private readonly maximum: number,
    private readonly what: string,
  ) {}

  static ofLogRecords(): EntryCount {
    return new EntryCount([LogRecordSchema], MAXIMUM_ENTRIES, 'log records');
  }

  static ofDataPoints(): EntryCount {
    const types = [
      NumberDataPointSchema,
      HistogramDataPointSchema,
      ExponentialHistogramDataPointSchema,
      SummaryDataPointSchema,
    ];
    return new EntryCount(types, MAXIMUM_DATA_POINTS, 'data points');
  }

  static ofSpans(): EntryCount {
    return new EntryCount([SpanSchema], MAXIMUM_SPANS, 'spans');
  }

  /** @throws InvalidError past the limit */
  add(type: DescMessage): void {
    if (!this.types.includes(type)) return;
    if (++this.count > this.maximum) {
      throw InvalidError.of(
        null,
        'too_long',
        `An export must have at most ${this.maximum} ${this.what}: lower the exporter's batch size`,
      );
    }
  }

  /**
   * Adds the entries of an export in JSON. A property has the name of its field in either spelling: `logRecords`, `log_records`.
   *
   * @throws InvalidError past the limit
   */
  addJson(json: JsonValue | undefined, type: DescMessage): void {
    if (Array.isArray(json)) for (const element of json) this.addJson(element, type);
    else if (typeof json === 'object' && json !== null) {
      this.add(type);
      if (this.types.includes(type)) return;
      for (const { name, jsonName, message } of type.fields) {
        if (!message) continue;
        this.addJson(json[jsonName], message);
        if (name !== jsonName) this.addJson(json[name], message);
      }
    }
  }
}
