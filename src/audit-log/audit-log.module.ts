import { Global, Inject, Module } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { AuditChainRepository } from './audit-chain.repository.js';
import { AuditChainService } from './audit-chain.service.js';
import { AuditErasureService } from './audit-erasure.service.js';
import { AuditLogController } from './audit-log.controller.js';
import { AuditLogRepository } from './audit-log.repository.js';
import { AuditLogWriter } from './audit-log-writer.js';
import { AuditLogService } from './audit-log.service.js';
import { AuditReadingService } from './audit-reading.service.js';
import { AuditSearchRepository } from './audit-search.repository.js';
import { RefusedCalls } from './refused-calls.js';

const RETENTION_INTERVAL_MS = 3_600_000;
const CHAIN_INTERVAL_MS = 5_000;

/** Global, because each feature that changes something writes to it. */
@Global()
@Module({
  controllers: [AuditLogController],
  providers: [
    AuditChainRepository,
    AuditChainService,
    AuditErasureService,
    AuditLogRepository,
    { provide: AuditLogService, useClass: AuditLogWriter },
    AuditReadingService,
    AuditSearchRepository,
    RefusedCalls,
  ],
  exports: [AuditErasureService, AuditLogService],
})
export class AuditLogModule {
  constructor(
    jobs: PeriodicJobs,
    entries: AuditLogRepository,
    chain: AuditChainService,
    @Inject(SETTINGS) settings: Settings,
  ) {
    jobs.add('auditChain', { intervalMs: CHAIN_INTERVAL_MS, tasks: () => [chain.task] });
    jobs.addDeletions('auditRetention', RETENTION_INTERVAL_MS, {
      'old audit entries': (connection, limit) =>
        entries.deleteOld(connection, settings.AUDIT_RETENTION_DAYS, limit),
    });
  }
}
