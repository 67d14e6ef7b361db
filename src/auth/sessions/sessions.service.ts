import { Injectable } from '@nestjs/common';
import type { SessionPrincipal, UserPrincipal } from '../../access/principal.js';
import type { RequestOrigin } from '../../access/request-origin.js';
import { accountOf, personWithoutKey } from '../../audit-log/audited-act.js';
import { AuditLogService } from '../../audit-log/audit-log.service.js';
import { Database } from '../../database/database.js';
import type { Page, PageRequest } from '../../database/page.js';
import { RevocableCache } from '../../database/revocable-cache.js';
import type { Transaction } from '../../database/transaction.js';
import { newId } from '../../database/new-id.js';
import { NotFoundError, UnauthenticatedError } from '../../errors/domain-error.js';
import { ListReads } from '../../http/list-reads.js';
import { type RefreshClaims, type TokenPair, TokensService } from '../tokens.service.js';
import type { NewSession, OpenSession, Session } from './session.types.js';
import { SessionsRepository } from './sessions.repository.js';

/**
 * Time for which a refresh token stays valid after its rotation: for a client that lost the reply, or two concurrent
 * refreshes.
 */
const GRACE_SECONDS = 60;
/** Maximum time for which an open session is cached; its end still takes effect within a second. */
const OPEN_TTL_MS = 60_000;
const ENDED_TTL_MS = 5_000;

@Injectable()
export class SessionsService {
  /** Cached expiry of each session, in the process's monotonic time (`performance.now()`); 0: not open. */
  private readonly ends: RevocableCache<number>;

  constructor(
    private readonly sessions: SessionsRepository,
    private readonly tokens: TokensService,
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
    private readonly lists: ListReads,
  ) {
    this.ends = new RevocableCache(database, 'session', OPEN_TTL_MS, 'proven');
  }

  /** The transaction must have locked the account, so that it can't be deactivated at the same moment. */
  async open(
    tx: Transaction,
    userId: string,
    { address, userAgent }: RequestOrigin,
    kept: NewSession,
  ): Promise<TokenPair> {
    const session = { ...kept, userId, address, userAgent };
    return this.tokens.issue(await this.sessions.insert(tx, false, session));
  }

  /** As {@link open}, for a person who has just given the password and, if the account has one, a second factor. */
  async openProven(
    tx: Transaction,
    userId: string,
    { address, userAgent }: RequestOrigin,
  ): Promise<TokenPair> {
    const session = { id: newId(), providerGrant: null, userId, address, userAgent };
    return this.tokens.issue(await this.sessions.insert(tx, true, session));
  }

  readRefreshToken(token: string): RefreshClaims | null {
    return this.tokens.readRefreshToken(token);
  }

  /**
   * Continues a session with new tokens. A reused refresh token ends the session: either its holder or the holder of
   * the newer one is a thief, and both have to log in again.
   *
   * @throws UnauthenticatedError if the session has ended, now or before
   */
  async refresh(claims: RefreshClaims, origin: RequestOrigin): Promise<TokenPair> {
    const { userId, sessionId: id, generation } = claims;
    const session = await this.database.people.transaction(async (tx): Promise<OpenSession | null> => {
      const rotated = await this.sessions.rotate(
        tx,
        { id, userId, generation, address: origin.address },
        GRACE_SECONDS,
      );
      if (!rotated && (await this.sessions.delete(tx, userId, id))) {
        await this.ends.revoke(tx, [id]);
        const details = { session_id: id, reason: 'A refresh token was used twice' };
        await this.auditLog.write(tx, { kind: 'service' }, 'session.end', accountOf(userId), details);
      }
      if (rotated) {
        const person = personWithoutKey(userId, origin);
        await this.auditLog.write(tx, person, 'session.refresh', accountOf(userId), { session_id: id });
      }
      return rotated;
    }, userId);
    // Thrown after the commit, because a throw inside would roll it back.
    if (!session) throw new UnauthenticatedError('Invalid or expired refresh token', 'invalid_refresh_token');
    return this.tokens.issue(session);
  }

  /**
   * Returns true if a session is open. Called for every request with an access token, and answered from the cache while
   * the cache is known to be current.
   */
  async isOpen(userId: string, id: string): Promise<boolean> {
    const end = await this.ends.get(
      id,
      () => this.readEnd(userId, id),
      (found) => (found > performance.now() ? found - performance.now() : ENDED_TTL_MS),
    );
    return performance.now() < end;
  }

  /** @returns true if an open session of the account was used from this address */
  hasAddress(userId: string, address: string): Promise<boolean> {
    return this.sessions.hasAddress(this.database.people.manager, userId, address);
  }

  list(userId: string, request: PageRequest): Promise<Page<Session>> {
    return this.lists.page(userId, request, false, (connection) =>
      this.sessions.list(connection, userId, request),
    );
  }

  /** Ends a session, on every instance within a second. @throws NotFoundError */
  async end(caller: UserPrincipal, id: string): Promise<void> {
    const { userId } = caller;
    await this.database.people.transaction(async (tx) => {
      if (!(await this.sessions.delete(tx, userId, id))) throw new NotFoundError('Session');
      await this.ends.revoke(tx, [id]);
      await this.auditLog.write(tx, caller, 'session.end', accountOf(userId), { session_id: id });
    }, userId);
  }

  async endOthers(caller: SessionPrincipal): Promise<void> {
    const { userId, sessionId } = caller;
    await this.database.people.transaction(async (tx) => {
      await this.endAll(tx, userId, sessionId);
      await this.auditLog.write(tx, caller, 'session.end_others', accountOf(userId));
    }, userId);
  }

  /**
   * Ends the user's sessions, on every instance within a second of the commit.
   *
   * @param exceptId the session that stays open; absent: none
   */
  async endAll(tx: Transaction, userId: string, exceptId?: string): Promise<void> {
    await this.ends.revoke(tx, await this.sessions.deleteOf(tx, userId, exceptId));
  }

  /**
   * Issues new tokens for the current session after a change of the password, and invalidates its earlier refresh
   * tokens.
   *
   * @throws UnauthenticatedError if it has ended in the meantime
   */
  async renew(tx: Transaction, userId: string, id: string): Promise<TokenPair> {
    const session = await this.sessions.renew(tx, userId, id);
    if (!session) throw new UnauthenticatedError();
    return this.tokens.issue(session);
  }

  private async readEnd(userId: string, id: string): Promise<number> {
    const askedAt = performance.now();
    const remainingMs = await this.sessions.findRemainingMs(this.database.people.manager, userId, id);
    return remainingMs === null ? 0 : askedAt + remainingMs;
  }
}
