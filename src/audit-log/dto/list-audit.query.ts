import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, IsUUID, MaxLength } from 'class-validator';
import { HistoryPageQuery } from '../../http/page-query.js';
import { Since, Until } from '../../http/time-range.js';
import { AUDIT_ACTIONS, AUDIT_OUTCOMES, type AuditAction, type AuditOutcome } from '../audit-actions.js';
import type { AuditFilter } from '../audit-log.types.js';

export class ListAuditQuery extends HistoryPageQuery {
  @ApiProperty({
    required: false,
    maxLength: 100,
    description: '`user:<id>`, `api_key:<id>`, `agent:<id>`, `anonymous` or `service`.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(100)
  actor?: string;

  @ApiProperty({ required: false, type: String, maxLength: 50 })
  @IsOptional()
  @IsIn(AUDIT_ACTIONS)
  action?: AuditAction;

  @ApiProperty({
    required: false,
    format: 'uuid',
  })
  @IsOptional()
  @IsUUID('loose')
  target_id?: string;

  @ApiProperty({ required: false, enum: AUDIT_OUTCOMES })
  @IsOptional()
  @IsIn(AUDIT_OUTCOMES)
  outcome?: AuditOutcome;

  @Since()
  since?: Date;

  @Until()
  until?: Date;
}

export function auditFilter({
  actor,
  action,
  target_id: targetId,
  outcome,
  since,
  until,
}: ListAuditQuery): AuditFilter {
  return { actor, action, targetId, outcome, since, until };
}
