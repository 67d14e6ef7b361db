import type { FactoryProvider } from '@nestjs/common';
import { TelemetryDatabase } from '../database/telemetry-database.js';
import { ListReads } from '../http/list-reads.js';
import { PooledListReads } from '../http/pooled-list-reads.js';

/** As {@link ListReads}, from the database of telemetry. */
export abstract class TelemetryListReads extends ListReads {}

export const telemetryListReads: FactoryProvider = {
  provide: TelemetryListReads,
  useFactory: (telemetry: TelemetryDatabase) => new PooledListReads(telemetry),
  inject: [TelemetryDatabase],
};
