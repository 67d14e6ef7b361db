import { Global, Module } from '@nestjs/common';
import { AuditLogController } from './audit-log.controller.js';
import { AuditLogRepository } from './audit-log.repository.js';
import { AuditLogService } from './audit-log.service.js';
import { AuditReadingService } from './audit-reading.service.js';
import { AuditRetention } from './audit-retention.service.js';
import { ForbiddenCalls } from './forbidden-calls.js';

/** Global, because each feature that changes something writes to it. */
@Global()
@Module({
  controllers: [AuditLogController],
  providers: [AuditLogRepository, AuditLogService, AuditReadingService, AuditRetention, ForbiddenCalls],
  exports: [AuditLogService],
})
export class AuditLogModule {}
