import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { principalOf } from '../access/caller.js';
import { requestOf } from '../access/http-context.js';
import type { UserPrincipal } from '../access/principal.js';
import { isOpenForEnrolment, stepUpRule } from '../access/step-up.js';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { ForbiddenError } from '../errors/domain-error.js';
import { fieldsOf } from '../http/validation.js';
import { UsersService } from '../users/users.service.js';
import { SessionProofsService } from './sessions/session-proofs.service.js';

/** Asks people for more than their credential: operators for a second factor, and dangerous calls for a fresh proof. */
@Injectable()
export class ProofGuard implements CanActivate {
  constructor(
    private readonly users: UsersService,
    private readonly proofs: SessionProofsService,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'SECOND_FACTOR_FOR_OPERATORS'>,
  ) {}

  /** @throws ForbiddenError */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const principal = principalOf(context);
    return principal?.kind === 'user' ? this.admit(context, principal) : true;
  }

  private async admit(context: ExecutionContext, principal: UserPrincipal): Promise<boolean> {
    if (!isOpenForEnrolment(context)) await this.requireEnrolment(principal);
    const rule = stepUpRule(context);
    if (rule?.isFor(fieldsOf(requestOf(context).body)))
      await this.proofs.require(principal, rule.isForEverybody);
    return true;
  }

  /** Also keys that act for an operator are refused. */
  private async requireEnrolment({ isAdmin, userId }: UserPrincipal): Promise<void> {
    if (!this.settings.SECOND_FACTOR_FOR_OPERATORS || !isAdmin) return;
    if (!(await this.users.activeUser(userId))?.hasPasswordAlone) return;
    throw new ForbiddenError(
      'second_factor_enrolment_required',
      'Operators need a second factor: add one at POST /auth/factors/totp, or on the page "Account" of the ' +
        'dashboard',
    );
  }
}
