import { Injectable } from '@nestjs/common';
import type { AuthenticatedRequest } from '../access/caller.js';
import { ForbiddenError, RateLimitedError } from '../errors/domain-error.js';
import { addressKey } from '../http/rate-limit/address-key.js';
import { type Refusal, Refusals } from '../http/refusals.js';
import { originOf } from '../http/request-origin.js';
import { AuditLogService } from './audit-log.service.js';
import { auditedActorOf } from './audited-act.js';
import { RecentCalls } from './recent-calls.js';
import { routeOf } from './route-pattern.js';

const A_MINUTE_MS = 60_000;
/** Callers past a limit that have an entry, on each route, in a minute: many addresses together must not fill the log. */
const LIMITED_CALLERS = 100;

/** Records calls that returned 403 or 429, from any guard or service, once a minute for each caller and route. */
@Injectable()
export class RefusedCalls {
  private readonly forbidden = new RecentCalls();
  private readonly limited = new RecentCalls(A_MINUTE_MS, LIMITED_CALLERS);

  constructor(
    refusals: Refusals,
    private readonly auditLog: AuditLogService,
  ) {
    refusals.onRefused((refusal) => this.note(refusal));
  }

  private note({ request, error }: Refusal): void {
    const { principal } = request as AuthenticatedRequest;
    const origin = originOf(request, request.res);
    const route = { method: request.method, route: routeOf(request) };
    const party = principal ? { ...principal, origin } : ({ kind: 'anonymous', origin } as const);
    if (error instanceof RateLimitedError) {
      if (this.limited.isFull) return;
      if (this.limited.isRepeated([auditedActorOf(party), addressKey(origin.address ?? ''), route])) return;
      // Refused logins and registrations have no principal, and write entries of their own.
    } else if (error instanceof ForbiddenError && principal) {
      if (this.forbidden.isRepeated([auditedActorOf(party), origin.address, route, error.message])) return;
    } else return;
    const target = { type: 'route', id: null, projectId: null } as const;
    this.auditLog.refused(party, 'route.call', target, { ...route, reason: error.message });
  }
}
