import {
  type DynamicModule,
  Global,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Database } from './database.js';
import { PeriodicJobs } from './periodic-jobs.js';
import { type DatabaseOptions, PostgresDatabase } from './postgres-database.js';
import { TelemetryDatabase } from './telemetry-database.js';

/** The injection token of the database of telemetry with the methods that open and close it. */
const OPENED_TELEMETRY = Symbol('telemetry database');

@Global()
@Module({})
export class DatabaseModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(PostgresDatabase) private readonly database: PostgresDatabase,
    @Inject(OPENED_TELEMETRY) private readonly telemetry: PostgresDatabase,
  ) {}

  /** @param telemetry absent: telemetry is in the same database */
  static forRoot(options: DatabaseOptions, telemetry?: DatabaseOptions): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        { provide: PostgresDatabase, useFactory: () => new PostgresDatabase(options) },
        { provide: Database, useExisting: PostgresDatabase },
        {
          provide: OPENED_TELEMETRY,
          useFactory: (main: PostgresDatabase) => (telemetry ? new PostgresDatabase(telemetry) : main),
          inject: [PostgresDatabase],
        },
        { provide: TelemetryDatabase, useExisting: OPENED_TELEMETRY },
        PeriodicJobs,
      ],
      exports: [Database, PostgresDatabase, TelemetryDatabase, PeriodicJobs],
    };
  }

  onApplicationBootstrap(): void {
    this.database.open();
    this.telemetry.open();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...new Set([this.database, this.telemetry])].map((each) => each.close()));
  }
}
