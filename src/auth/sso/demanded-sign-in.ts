import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../../config/injection-tokens.js';
import type { Settings } from '../../config/settings.js';
import { ForbiddenError, UnauthenticatedError } from '../../errors/domain-error.js';
import { type Claims, proofIn } from './provided-claims.js';

const CODE = 'sign_in_too_weak';

/** The demands of `OIDC_ACR_VALUES` and `OIDC_AMR_VALUES` on a sign-in at the identity provider. */
@Injectable()
export class DemandedSignIn {
  private readonly acr: readonly string[];
  private readonly amr: readonly string[];

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.acr = wordsOf(settings.OIDC_ACR_VALUES);
    this.amr = wordsOf(settings.OIDC_AMR_VALUES);
  }

  /** Returns true if anything is demanded. */
  get isSet(): boolean {
    return this.acr.length + this.amr.length > 0;
  }

  /**
   * Parameters that ask the provider for it, so that it asks the person for another factor.
   *
   * @param takesClaims the provider knows the parameter `claims`, in which a claim can be essential
   */
  parameters(takesClaims: boolean): Readonly<Record<string, string>> {
    if (!this.isSet) return {};
    const claims = {
      ...(this.acr.length > 0 && { acr: { essential: true, values: this.acr } }),
      ...(this.amr.length > 0 && { amr: { essential: true } }),
    };
    return {
      ...(this.acr.length > 0 && { acr_values: this.acr.join(' ') }),
      ...(takesClaims && { claims: JSON.stringify({ id_token: claims }) }),
    };
  }

  /** @param proof of the sign-in, as {@link proofIn} reads it */
  isMetBy(proof: readonly string[]): boolean {
    const isOneOf = (kind: string, values: readonly string[]) =>
      values.length === 0 || values.some((value) => proof.includes(`${kind}:${value}`));
    return isOneOf('acr', this.acr) && isOneOf('amr', this.amr);
  }

  /** @throws ForbiddenError where a sign-in has not proved enough */
  requireOf(proof: readonly string[]): void {
    if (!this.isMetBy(proof)) throw new ForbiddenError(CODE, this.message);
  }

  /**
   * Checks a later ID token of the same sign-in. Providers may leave both claims out of it; what it says counts.
   *
   * @throws ForbiddenError where it says less than is demanded
   */
  requireNotWithdrawn(claims: Claims): void {
    const { acr, amr } = claims;
    const said = [
      ...(acr === undefined ? this.acr.map((value) => `acr:${value}`) : []),
      ...(amr === undefined ? this.amr.map((value) => `amr:${value}`) : []),
    ];
    this.requireOf([...proofIn(claims), ...said]);
  }

  /** The refusal of a session that continues from a sign-in that has not proved enough. */
  ended(): UnauthenticatedError {
    return new UnauthenticatedError(this.message, CODE);
  }

  private get message(): string {
    const demands = [
      ...(this.acr.length > 0 ? [`acr ${this.acr.join(' or ')}`] : []),
      ...(this.amr.length > 0 ? [`amr ${this.amr.join(' or ')}`] : []),
    ];
    return (
      `Your sign-in at the identity provider is too weak for this service, which requires ${demands.join(' and ')}: ` +
      'sign in again, with a second factor'
    );
  }
}

function wordsOf(setting: string): readonly string[] {
  return setting.split(' ').filter((word) => word !== '');
}
