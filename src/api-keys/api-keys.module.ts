import { Inject, Module } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { ApiKeyUsage } from './api-key-usage.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';

const RETENTION_INTERVAL_MS = 3_600_000;

@Module({
  controllers: [ApiKeysController],
  providers: [ApiKeyUsage, ApiKeysRepository, ApiKeysService],
  exports: [ApiKeysService],
})
export class ApiKeysModule {
  constructor(jobs: PeriodicJobs, keys: ApiKeysRepository, @Inject(SETTINGS) settings: Settings) {
    jobs.addDeletions('apiKeyRetention', RETENTION_INTERVAL_MS, {
      'ended keys': (connection, limit) => keys.deleteEnded(connection, settings.KEY_RETENTION_DAYS, limit),
    });
  }
}
