import {
  type DynamicModule,
  Global,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Database, type DatabaseOptions } from './database.js';
import { PeriodicJobs } from './periodic-jobs.js';

@Global()
@Module({})
export class DatabaseModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(@Inject(Database) private readonly database: Database) {}

  static forRoot(options: DatabaseOptions): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [{ provide: Database, useFactory: () => new Database(options) }, PeriodicJobs],
      exports: [Database, PeriodicJobs],
    };
  }

  onApplicationBootstrap(): void {
    this.database.open();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
