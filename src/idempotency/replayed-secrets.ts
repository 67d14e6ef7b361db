import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { AuthenticatedRequest } from '../access/caller.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { routeOf } from '../audit-log/route-pattern.js';
import type { Transaction } from '../database/transaction.js';
import { isRecord } from '../http/json-record.js';
import { originOf } from '../http/request-origin.js';

/** Properties of replies that are shown once, at their creation. */
const SHOWN_ONCE = ['key', 'api_key', 'secret', 'access_token'] as const;

/** Records that a reply with a key, a secret or tokens was sent again, in the transaction that has read it. */
@Injectable()
export class ReplayedSecrets {
  constructor(private readonly auditLog: AuditLogService) {}

  async record(tx: Transaction, request: Request, reply: unknown): Promise<void> {
    if (!isRecord(reply)) return;
    const shows = SHOWN_ONCE.filter((name) => typeof reply[name] === 'string');
    if (shows.length === 0) return;
    const { principal } = request as AuthenticatedRequest;
    const origin = originOf(request, request.res);
    const party = principal ? { ...principal, origin } : ({ kind: 'anonymous', origin } as const);
    const projectId = typeof reply.project_id === 'string' ? reply.project_id : null;
    const details = {
      method: request.method,
      route: routeOf(request),
      shows,
      ...(reply.id ? { id: reply.id } : {}),
    };
    await this.auditLog.write(tx, party, 'route.replay', { type: 'route', id: null, projectId }, details);
  }
}
