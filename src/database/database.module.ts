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

@Global()
@Module({})
export class DatabaseModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(@Inject(PostgresDatabase) private readonly database: PostgresDatabase) {}

  static forRoot(options: DatabaseOptions): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        { provide: PostgresDatabase, useFactory: () => new PostgresDatabase(options) },
        { provide: Database, useExisting: PostgresDatabase },
        PeriodicJobs,
      ],
      exports: [Database, PostgresDatabase, PeriodicJobs],
    };
  }

  onApplicationBootstrap(): void {
    this.database.open();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
