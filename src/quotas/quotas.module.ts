import { Module } from '@nestjs/common';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { OwnRetentionsRepository } from './own-retentions.repository.js';
import { OwnRetentionsService } from './own-retentions.service.js';
import { ProjectLimitsRepository } from './project-limits.repository.js';
import { ProjectLimitsService } from './project-limits.service.js';
import { QuotaNewsService } from './quota-news.service.js';
import { QuotaReadingService } from './quota-reading.service.js';
import { QuotaSumsService } from './quota-sums.service.js';
import { QuotaUsesRepository } from './quota-uses.repository.js';
import { QuotasService } from './quotas.service.js';

const RETENTION_INTERVAL_MS = 60 * 60_000;

@Module({
  imports: [WebhooksModule],
  providers: [
    OwnRetentionsRepository,
    OwnRetentionsService,
    ProjectLimitsRepository,
    ProjectLimitsService,
    QuotaNewsService,
    QuotaReadingService,
    QuotaSumsService,
    QuotaUsesRepository,
    QuotasService,
  ],
  exports: [OwnRetentionsService, ProjectLimitsService, QuotaReadingService, QuotasService],
})
export class QuotasModule {
  constructor(jobs: PeriodicJobs, uses: QuotaUsesRepository) {
    jobs.addDeletions('quotaRetention', RETENTION_INTERVAL_MS, {
      'uses of quotas': (connection, limit) => uses.deleteOld(connection, limit),
    });
  }
}
