import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { AuthenticatedRequest } from '../access/caller.js';
import { ForbiddenError } from '../errors/domain-error.js';
import { type Refusal, Refusals } from '../http/refusals.js';
import { originOf } from '../http/request-origin.js';
import { AuditLogService } from './audit-log.service.js';
import { actorOf } from './audited-act.js';
import { RecentCalls } from './recent-calls.js';

/** Records calls that returned 403, from any guard or service, once a minute. */
@Injectable()
export class ForbiddenCalls {
  private readonly recent = new RecentCalls();

  constructor(
    refusals: Refusals,
    private readonly auditLog: AuditLogService,
  ) {
    refusals.onRefused((refusal) => this.note(refusal));
  }

  private note({ request, error }: Refusal): void {
    // Refused logins and registrations have no principal, and write entries of their own.
    const { principal } = request as AuthenticatedRequest;
    if (!(error instanceof ForbiddenError) || !principal) return;
    const origin = originOf(request, request.res);
    const party = { ...principal, origin };
    const route = { method: request.method, route: routeOf(request), reason: error.message };
    if (this.recent.isRepeated([actorOf(party), origin.address, route])) return;
    this.auditLog.refused(party, 'route.call', { type: 'route', id: null, projectId: null }, route);
  }
}

/** The pattern of the path, because the path itself may contain the caller's input. */
function routeOf({ route }: Request): string | null {
  return (route as { path?: string } | undefined)?.path ?? null;
}
