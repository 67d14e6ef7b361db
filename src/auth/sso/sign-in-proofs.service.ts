import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { ForbiddenError } from '../../errors/domain-error.js';
import { DemandedSignIn } from './demanded-sign-in.js';
import type { RefreshedSession } from './provider-grants.service.js';
import { SignInProofsRepository } from './sign-in-proofs.repository.js';

/** Holds sessions of single sign-on to what the settings demand now: also those that were opened before. */
@Injectable()
export class SignInProofsService {
  constructor(
    private readonly proofs: SignInProofsRepository,
    private readonly demand: DemandedSignIn,
    private readonly database: Database,
  ) {}

  /** @throws UnauthenticatedError if the session's sign-in has not proved enough */
  async require({ userId, sessionId }: RefreshedSession): Promise<void> {
    if (!this.demand.isSet) return;
    const proof = await this.proofs.find(this.database.people.manager, userId, sessionId);
    if (proof !== null && !this.demand.isMetBy(proof)) throw this.demand.ended();
  }

  /**
   * Asks the provider about a session. Where it says that the sign-in is too weak now, no refresh continues the session.
   *
   * @throws UnauthenticatedError in that case
   */
  async keep({ userId, sessionId }: RefreshedSession, ask: () => Promise<void>): Promise<void> {
    try {
      await ask();
    } catch (error) {
      if (!(error instanceof ForbiddenError)) throw error;
      await this.proofs.clear(this.database.people.manager, userId, sessionId);
      throw this.demand.ended();
    }
  }
}
