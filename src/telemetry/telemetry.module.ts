import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { EntryListsService } from './entry-lists.service.js';
import { EntryOwnersService } from './entry-owners.service.js';
import { LogFollowingService } from './log-following.service.js';
import { LogSourcesService } from './log-sources.service.js';
import { LogTailRepository } from './log-tail.repository.js';
import { LogsRepository } from './logs.repository.js';
import { MergedLogsRepository } from './merged-logs.repository.js';
import { MergedLogsService } from './merged-logs.service.js';
import { MetricUsageService } from './metric-usage.service.js';
import { MetricsRepository } from './metrics.repository.js';
import { LogsController } from './logs.controller.js';
import { OwnRetentionRepository } from './own-retention.repository.js';
import { OwnRetentionService } from './own-retention.service.js';
import { OtlpController } from './otlp/otlp.controller.js';
import { RunFollowingService } from './run-following.service.js';
import { RunStreamController } from './run-stream.controller.js';
import { RunStreamSourceService } from './run-stream-source.service.js';
import { SERIES_DAYS } from './series-increments.js';
import { TelemetryBatchesRepository } from './telemetry-batches.repository.js';
import { TelemetryIngestController } from './telemetry-ingest.controller.js';
import { TelemetryIngestService } from './telemetry-ingest.service.js';
import { telemetryListReads } from './telemetry-list-reads.js';
import { TelemetryPartitionsRepository } from './telemetry-partitions.repository.js';
import { TelemetryPurgeService } from './telemetry-purge.service.js';
import { TelemetryReadingController } from './telemetry-reading.controller.js';
import { TelemetryReadingService } from './telemetry-reading.service.js';
import { TelemetryRetentionService } from './telemetry-retention.service.js';
import { TelemetryWritesService } from './telemetry-writes.service.js';
import { UsageSeriesRepository } from './usage-series.repository.js';

const SERIES_INTERVAL_MS = 10 * 60_000;

@Module({
  imports: [AgentsModule, DeploymentsModule, QuotasModule, RunsModule, UsageModule],
  controllers: [
    TelemetryIngestController,
    TelemetryReadingController,
    LogsController,
    RunStreamController,
    OtlpController,
  ],
  providers: [
    EntryListsService,
    EntryOwnersService,
    LogFollowingService,
    LogSourcesService,
    LogTailRepository,
    LogsRepository,
    MergedLogsRepository,
    MergedLogsService,
    MetricUsageService,
    MetricsRepository,
    OwnRetentionRepository,
    OwnRetentionService,
    RunFollowingService,
    RunStreamSourceService,
    TelemetryBatchesRepository,
    TelemetryIngestService,
    TelemetryPartitionsRepository,
    TelemetryPurgeService,
    TelemetryReadingService,
    TelemetryRetentionService,
    TelemetryWritesService,
    UsageSeriesRepository,
    telemetryListReads,
  ],
  exports: [TelemetryIngestService, TelemetryPurgeService],
})
export class TelemetryModule {
  constructor(jobs: PeriodicJobs, series: UsageSeriesRepository) {
    jobs.addDeletions('usageSeriesRetention', SERIES_INTERVAL_MS, {
      'series of usage': (connection, limit) => series.deleteSilent(connection, SERIES_DAYS, limit),
    });
  }
}
