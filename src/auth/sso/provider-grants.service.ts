import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../../config/injection-tokens.js';
import { newId } from '../../database/new-id.js';
import type { Connection, Transaction } from '../../database/transaction.js';
import { DomainError } from '../../errors/domain-error.js';
import type { NewSession } from '../sessions/session.types.js';
import { ProviderGrantCipher } from './provider-grant-cipher.js';
import { ProviderGrantsRepository } from './provider-grants.repository.js';
import type { ProvidedIdentity, ProviderGrant } from './sso.types.js';

/** Longer than the provider may take: three calls of five seconds, and the wait for them. */
const LEASE_SECONDS = 60;

/** The session of a refresh. */
export interface RefreshedSession {
  readonly userId: string;
  readonly sessionId: string;
}

/** A grant that a refresh has taken from its session. */
export interface TakenGrant {
  readonly stored: string;
  /** @throws UnreadableTextError */
  open(): ProviderGrant;
}

/** The grant of a session, to ask the identity provider for groups again. */
@Injectable()
export class ProviderGrantsService {
  constructor(
    private readonly grants: ProviderGrantsRepository,
    private readonly cipher: ProviderGrantCipher,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** The session of a sign-in. Without a grant its memberships by groups end after half an hour. */
  async newSession({
    issuer,
    subject,
    refreshToken,
    proof: signInProof,
  }: ProvidedIdentity): Promise<NewSession> {
    const id = newId();
    if (refreshToken === null) return { id, providerGrant: null, signInProof };
    try {
      return {
        id,
        providerGrant: await this.seal(id, { issuer, subject, refreshToken }),
        signInProof,
      };
    } catch (error) {
      // A sign-in does not fail where only this instance lacks the key that seals.
      if (!(error instanceof DomainError)) throw error;
      this.logger.warn(
        { err: error },
        'a session could not store the token that reads groups from the identity provider',
      );
      return { id, providerGrant: null, signInProof };
    }
  }

  /** Takes the grant of a session, so that no other refresh uses it at the same time. @returns null if there is none to use */
  async take(connection: Connection, { userId, sessionId }: RefreshedSession): Promise<TakenGrant | null> {
    const stored = await this.grants.take(connection, userId, sessionId, LEASE_SECONDS);
    return stored === null ? null : { stored, open: () => this.cipher.open(sessionId, stored) };
  }

  /** @returns null where no key is in use */
  seal(sessionId: string, grant: ProviderGrant): Promise<string | null> {
    return this.cipher.seal(sessionId, grant);
  }

  /**
   * Returns a grant that was taken, or the next one.
   *
   * @param stored null: there is none any more
   * @returns false if the session has ended
   */
  giveBack(tx: Transaction, sessionId: string, stored: string | null): Promise<boolean> {
    return this.grants.giveBack(tx, sessionId, stored);
  }
}
