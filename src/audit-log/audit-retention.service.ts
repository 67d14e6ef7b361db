import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../config/settings.js';
import { deletion } from '../database/periodic-job.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { AuditLogRepository } from './audit-log.repository.js';

const INTERVAL_MS = 3_600_000;

/** Deletes entries that were written `AUDIT_RETENTION_DAYS` ago. */
@Injectable()
export class AuditRetention {
  constructor(jobs: PeriodicJobs, entries: AuditLogRepository, @Inject(SETTINGS) settings: Settings) {
    jobs.add('auditRetention', {
      intervalMs: INTERVAL_MS,
      tasks: () => [
        deletion('old audit entries', (connection, limit) =>
          entries.deleteOld(connection, settings.AUDIT_RETENTION_DAYS, limit),
        ),
      ],
    });
  }
}
