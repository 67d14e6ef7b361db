import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { AuthenticatedRequest } from '../access/caller.js';
import { requestOf, responseOf } from '../access/http-context.js';
import type { AuditAction } from '../audit-log/audit-actions.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import type { AuditDetails, AuditTarget } from '../audit-log/audit-log.types.js';
import { AUDITED_READ, type AuditedReadOptions } from '../audit-log/audited-read.js';
import { routeOf } from '../audit-log/route-pattern.js';
import { isUuid } from '../http/uuid-param.js';

interface Read {
  readonly action: AuditAction;
  readonly target: AuditTarget;
  readonly details?: AuditDetails;
}

/**
 * Records what an operator reads by a route with {@link AUDITED_READ}, and the lists of a project of others, as soon as the reply
 * has ended: a refused request shows nothing. It is one place for all lists, because each names the project as `project_id`; it
 * refuses nobody.
 */
@Injectable()
export class OperatorReadsGuard implements CanActivate {
  constructor(private readonly auditLog: AuditLogService) {}

  canActivate(context: ExecutionContext): boolean {
    const request = requestOf<Request & AuthenticatedRequest>(context);
    const { principal } = request;
    if (principal?.kind !== 'user' || !principal.isAdmin || !READS.has(request.method)) return true;
    const read = declaredRead(context, request) ?? listOfOthers(request);
    if (!read) return true;
    const response = responseOf(context);
    response.once('close', () => {
      if (response.statusCode < 400) this.auditLog.read(principal, read.action, read.target, read.details);
    });
    return true;
  }
}

const READS = new Set(['GET', 'HEAD']);

function declaredRead(context: ExecutionContext, { params }: Request): Read | undefined {
  const declared = Reflect.getMetadata(AUDITED_READ, context.getHandler()) as AuditedReadOptions | undefined;
  if (!declared) return undefined;
  const { action, type, id } = declared;
  const target = { type, id: id === undefined ? null : String(params[id]).toLowerCase(), projectId: null };
  return { action, target };
}

function listOfOthers(request: Request): Read | undefined {
  const named = request.query.project_id;
  if (!isUuid(named)) return undefined;
  const projectId = named.toLowerCase();
  return {
    action: 'project.list',
    target: { type: 'project', id: projectId, projectId },
    details: { route: routeOf(request) },
  };
}
