import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { AuthenticatedRequest } from '../access/caller.js';
import { declaredAccess } from '../access/declared-access.js';
import { requestOf } from '../access/http-context.js';
import { isOpenInMaintenance } from '../access/open-in-maintenance.js';
import { isOpenForEnrolment } from '../access/step-up.js';
import { MaintenanceService } from './maintenance.service.js';

const READS = new Set(['GET', 'HEAD']);

/** Refuses people's changes during maintenance. It stands behind the guards that authenticate: strangers learn no reason. */
@Injectable()
export class MaintenanceGuard implements CanActivate {
  constructor(private readonly maintenance: MaintenanceService) {}

  /** @throws UnavailableError */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { principal, method } = requestOf<Request & AuthenticatedRequest>(context);
    if (principal?.kind !== 'user' || READS.has(method) || isAlwaysOpen(context)) return true;
    return this.maintenance.requireNone().then(() => true);
  }
}

/**
 * Sign-in, sign-out and their routes, the switch itself, and gateways, whose own calls pass this guard one by one.
 */
function isAlwaysOpen(context: ExecutionContext): boolean {
  const access = declaredAccess(context);
  return (
    (access?.callers === 'user' && access.gateway) ||
    isOpenForEnrolment(context) ||
    isOpenInMaintenance(context)
  );
}
