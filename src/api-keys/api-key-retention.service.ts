import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../config/settings.js';
import { deletion } from '../database/periodic-job.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { ApiKeysRepository } from './api-keys.repository.js';

const INTERVAL_MS = 3_600_000;

/** Deletes the records of keys that were revoked or expired `KEY_RETENTION_DAYS` ago. */
@Injectable()
export class ApiKeyRetention {
  constructor(jobs: PeriodicJobs, keys: ApiKeysRepository, @Inject(SETTINGS) settings: Settings) {
    jobs.add('apiKeyRetention', {
      intervalMs: INTERVAL_MS,
      tasks: () => [
        deletion('ended keys', (connection, limit) =>
          keys.deleteEnded(connection, settings.KEY_RETENTION_DAYS, limit),
        ),
      ],
    });
  }
}
