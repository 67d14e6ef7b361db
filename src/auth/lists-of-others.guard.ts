import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { AuthenticatedRequest } from '../access/caller.js';
import { requestOf, responseOf } from '../access/http-context.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { routeOf } from '../audit-log/route-pattern.js';
import { isUuid } from '../http/uuid-param.js';

/**
 * Records that an operator lists resources of a project of others, as soon as the reply has ended: a refused list
 * shows nothing. It is one place for all lists, because each names the project as `project_id`; it refuses nobody.
 */
@Injectable()
export class ListsOfOthersGuard implements CanActivate {
  constructor(private readonly auditLog: AuditLogService) {}

  canActivate(context: ExecutionContext): boolean {
    const request = requestOf<Request & AuthenticatedRequest>(context);
    const { principal, method } = request;
    if (principal?.kind !== 'user' || !principal.isAdmin || !READS.has(method)) return true;
    const named = request.query.project_id;
    if (!isUuid(named)) return true;
    const projectId = named.toLowerCase();
    const target = { type: 'project', id: projectId, projectId } as const;
    const response = responseOf(context);
    response.once('close', () => {
      if (response.statusCode < 400)
        this.auditLog.read(principal, 'project.list', target, { route: routeOf(request) });
    });
    return true;
  }
}

const READS = new Set(['GET', 'HEAD']);
