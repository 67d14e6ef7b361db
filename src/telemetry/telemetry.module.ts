import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { LogFollowing } from './log-following.service.js';
import { LogSources } from './log-sources.service.js';
import { LogStreamController } from './log-stream.controller.js';
import { LogTailRepository } from './log-tail.repository.js';
import { LogsRepository } from './logs.repository.js';
import { MetricBucketsRepository } from './metric-buckets.repository.js';
import { MetricBuckets } from './metric-buckets.service.js';
import { MetricsRepository } from './metrics.repository.js';
import { OwnLogsController } from './own-logs.controller.js';
import { OwnLogsRepository } from './own-logs.repository.js';
import { OwnLogs } from './own-logs.service.js';
import { OtlpController } from './otlp/otlp.controller.js';
import { TelemetryBatchesRepository } from './telemetry-batches.repository.js';
import { TelemetryIngestController } from './telemetry-ingest.controller.js';
import { TelemetryIngest } from './telemetry-ingest.service.js';
import { TelemetryPartitionsRepository } from './telemetry-partitions.repository.js';
import { TelemetryPurgeRepository } from './telemetry-purge.repository.js';
import { TelemetryPurge } from './telemetry-purge.service.js';
import { TelemetryReadingController } from './telemetry-reading.controller.js';
import { TelemetryReading } from './telemetry-reading.service.js';
import { TelemetryRetention } from './telemetry-retention.service.js';
import { TelemetryRowRetention } from './telemetry-row-retention.service.js';

@Module({
  imports: [AgentsModule, DeploymentsModule],
  controllers: [
    TelemetryIngestController,
    TelemetryReadingController,
    LogStreamController,
    OwnLogsController,
    OtlpController,
  ],
  providers: [
    LogFollowing,
    LogSources,
    LogTailRepository,
    LogsRepository,
    MetricBuckets,
    MetricBucketsRepository,
    MetricsRepository,
    OwnLogs,
    OwnLogsRepository,
    TelemetryBatchesRepository,
    TelemetryIngest,
    TelemetryPartitionsRepository,
    TelemetryPurge,
    TelemetryPurgeRepository,
    TelemetryReading,
    TelemetryRetention,
    TelemetryRowRetention,
  ],
  exports: [TelemetryIngest, TelemetryPurge],
})
export class TelemetryModule {}
