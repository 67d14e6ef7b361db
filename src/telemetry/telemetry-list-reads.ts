import type { FactoryProvider } from '@nestjs/common';
import { TelemetryDatabase } from '../database/telemetry-database.js';
import { ListReads } from '../http/list-reads.js';

/** As {@link ListReads}, from the database of telemetry: the same object where there is one database. */
export abstract class TelemetryListReads extends ListReads {}

export const telemetryListReads: FactoryProvider = {
  provide: TelemetryListReads,
  useFactory: (telemetry: TelemetryDatabase, lists: ListReads) =>
    telemetry.isApart ? new ListReads(telemetry) : lists,
  inject: [TelemetryDatabase, ListReads],
};
