import { SetMetadata } from '@nestjs/common';
import type { AuditAction, AuditTargetType } from './audit-actions.js';

/** Metadata key of a route whose reads are in the audit log. */
export const AUDITED_READ = 'audited-read';

/** A read of something that belongs to no project. */
export interface AuditedReadOptions {
  readonly action: AuditAction;
  readonly type: AuditTargetType;
  /** The parameter of the path with the id; absent: the route is a list. */
  readonly id?: string;
}

/** Writes an entry into the audit log for each operator who reads by this route, once a minute; see `OperatorReadsGuard`. */
export const AuditedRead = (options: AuditedReadOptions) => SetMetadata(AUDITED_READ, options);
