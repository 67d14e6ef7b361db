import { Injectable } from '@nestjs/common';
import type { RequestOrigin } from '../../access/request-origin.js';
import type { Transaction } from '../../database/transaction.js';
import type { NewSession } from '../sessions/session.types.js';
import { SessionsService } from '../sessions/sessions.service.js';
import type { TokenPair } from '../tokens.service.js';
import { ProviderGrantsService } from './provider-grants.service.js';
import type { ProvidedIdentity } from './sso.types.js';

/** Sessions that single sign-on opens. They keep what asks the identity provider for groups again. */
@Injectable()
export class SsoSessionsService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly grants: ProviderGrantsService,
  ) {}

  /** Prepares a session, before the transaction that opens it: the key that seals is read from the database. */
  prepare(identity: ProvidedIdentity): Promise<NewSession> {
    return this.grants.newSession(identity);
  }

  /** As {@link SessionsService.open}. */
  open(tx: Transaction, userId: string, origin: RequestOrigin, session: NewSession): Promise<TokenPair> {
    return this.sessions.open(tx, userId, origin, session);
  }
}
