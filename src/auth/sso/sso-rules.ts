import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../../config/injection-tokens.js';
import type { Settings } from '../../config/settings.js';
import { ForbiddenError } from '../../errors/domain-error.js';
import { canonicalEmail } from '../../http/request-fields.js';
import type { OperatorCondition } from '../../users/user.types.js';
import { OperatorSetupService } from '../operator-setup.service.js';
import { DemandedSignIn } from './demanded-sign-in.js';
import type { LoginMethodsResponse } from './dto/sso.responses.js';
import type { ProvidedIdentity } from './sso.types.js';

/** Decides by the settings what an identity without an account may do. */
@Injectable()
export class SsoRules {
  private readonly operators: ReadonlySet<string>;

  constructor(
    private readonly setup: OperatorSetupService,
    private readonly demand: DemandedSignIn,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    const listed = settings.ADMIN_EMAILS.split(',').map(canonicalEmail);
    this.operators = new Set(listed.filter((email) => email !== ''));
  }

  /** The ways in which people can log in now. */
  async methods(): Promise<LoginMethodsResponse> {
    const { PASSWORD_LOGIN, ALLOW_REGISTRATION, OIDC_ISSUER, OIDC_GROUPS_CLAIM } = this.settings;
    const registration = PASSWORD_LOGIN && ALLOW_REGISTRATION;
    return {
      password: PASSWORD_LOGIN,
      registration,
      creates_operator: registration && (await this.setup.isForFirstAccount()),
      sso: OIDC_ISSUER !== '',
      groups: OIDC_GROUPS_CLAIM !== '',
    };
  }

  /** `ADMIN_EMAILS` counts only for an address that the provider has verified. */
  isOperator({ email, isEmailVerified }: ProvidedIdentity): boolean {
    return isEmailVerified && email !== null && this.operators.has(email);
  }

  /** @throws ForbiddenError where the sign-in has not proved what the settings demand */
  requireStrength({ proof }: ProvidedIdentity): void {
    this.demand.requireOf(proof);
  }

  /** @throws ForbiddenError where the provider has not verified the address */
  requireVerified({ isEmailVerified }: ProvidedIdentity): void {
    if (isEmailVerified) return;
    throw new ForbiddenError(
      'email_not_verified',
      'The identity provider has not verified your email address: verify it there',
    );
  }

  /** @throws ForbiddenError where the identity may not be linked to an account that has its address */
  requireLinking(identity: ProvidedIdentity): void {
    this.requireVerified(identity);
    if (this.settings.OIDC_LINK_BY_EMAIL) return;
    throw new ForbiddenError(
      'account_not_linked',
      'Another account has your email address: log in with its password, or ask an operator to link it',
    );
  }

  /**
   * Closed registration also applies to single sign-on, except for `ADMIN_EMAILS`.
   *
   * @returns the condition under which the new account becomes the first operator
   * @throws ForbiddenError if registration is closed
   */
  async conditionForNew(identity: ProvidedIdentity): Promise<OperatorCondition> {
    if (this.isOperator(identity)) return 'never';
    try {
      return await this.setup.conditionFor(undefined);
    } catch (error) {
      if (!(error instanceof ForbiddenError)) throw error;
      throw new ForbiddenError(
        'registration_closed',
        'You have no account here, and registration is closed: ask an operator',
      );
    }
  }
}
