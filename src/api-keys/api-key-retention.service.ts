import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../config/settings.js';
import { ADVISORY_LOCKS } from '../database/advisory-locks.js';
import type { PeriodicJob } from '../database/periodic-job.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { ApiKeysRepository } from './api-keys.repository.js';

const INTERVAL_MS = 3_600_000;
const KEYS_IN_A_BITE = 5_000;

/** Deletes the records of keys that were revoked or expired `KEY_RETENTION_DAYS` ago. */
@Injectable()
export class ApiKeyRetention {
  private readonly job: PeriodicJob;

  constructor(jobs: PeriodicJobs, keys: ApiKeysRepository, @Inject(SETTINGS) settings: Settings) {
    this.job = jobs.add('API key retention', {
      lock: ADVISORY_LOCKS.apiKeyRetention,
      intervalMs: INTERVAL_MS,
      tasks: () => [
        {
          name: 'ended keys',
          run: async (connection) =>
            (await keys.deleteEnded(connection, settings.KEY_RETENTION_DAYS, KEYS_IN_A_BITE)) ===
            KEYS_IN_A_BITE,
        },
      ],
    });
  }

  /** One round now. @returns false where another instance is at it, or the database is away */
  runOnce(): Promise<boolean> {
    return this.job.runOnce();
  }
}
