import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import type { SessionPrincipal, UserPrincipal } from '../../access/principal.js';
import type { RequestOrigin } from '../../access/request-origin.js';
import { accountOf } from '../../audit-log/audited-act.js';
import { AuditLogService } from '../../audit-log/audit-log.service.js';
import { Database } from '../../database/database.js';
import type { Page, PageRequest } from '../../database/page.js';
import { RevocableCache } from '../../database/revocable-cache.js';
import type { Transaction } from '../../database/transaction.js';
import { NotFoundError, UnauthenticatedError } from '../../errors/domain-error.js';
import { ListReads } from '../../http/list-reads.js';
import { type RefreshClaims, type TokenPair, TokensService } from '../tokens.service.js';
import type { OpenSession, Session } from './session.types.js';
import { SessionsRepository } from './sessions.repository.js';

/** How long a refresh token works again after its rotation: for a client that lost the reply, or for its twin. */
const GRACE_SECONDS = 60;
/** How long an open session is cached at most; its end takes effect within a second all the same. */
const OPEN_TTL_MS = 60_000;
const ENDED_TTL_MS = 5_000;

@Injectable()
export class SessionsService {
  /** By session: until when it is open, in the process's own time (`performance.now()`); 0: it is not. */
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

  /** The account must be held by the transaction, so that no deactivation passes in between. */
  async open(tx: Transaction, userId: string, origin: RequestOrigin): Promise<TokenPair> {
    const { address, userAgent } = origin;
    const session = { id: uuidv7(), userId, address, userAgent };
    return this.tokens.issue(await this.sessions.insert(tx, session));
  }

  readRefreshToken(token: string): RefreshClaims | null {
    return this.tokens.readRefreshToken(token);
  }

  /**
   * Continues a session with new tokens. A refresh token that was used before ends the session: either its holder or
   * the holder of the newer one is a thief, and both have to log in again.
   *
   * @throws UnauthenticatedError where the session has ended, now or before
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
      return rotated;
    }, userId);
    // Thrown after the commit, which a throw inside would undo.
    if (!session) throw new UnauthenticatedError('Invalid or expired refresh token', 'invalid_refresh_token');
    return this.tokens.issue(session);
  }

  /**
   * Is asked for every request with an access token, and answered from memory where that is certain to be current.
   */
  async isOpen(userId: string, id: string): Promise<boolean> {
    const end = await this.ends.get(
      id,
      () => this.readEnd(userId, id),
      (found) => (found > performance.now() ? found - performance.now() : ENDED_TTL_MS),
    );
    return performance.now() < end;
  }

  /** @returns whether the account was used from this address by a session that is open */
  hasAddress(userId: string, address: string): Promise<boolean> {
    return this.sessions.hasAddress(this.database.people.manager, userId, address);
  }

  list(userId: string, request: PageRequest): Promise<Page<Session>> {
    return this.lists.page(userId, request, false, (connection) =>
      this.sessions.list(connection, userId, request),
    );
  }

  /** Takes effect on every instance within a second. @throws NotFoundError */
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
   * Ends the user's sessions; takes effect on every instance within a second of the commit.
   *
   * @param exceptId the session that goes on; absent: none
   */
  async endAll(tx: Transaction, userId: string, exceptId?: string): Promise<void> {
    await this.ends.revoke(tx, await this.sessions.deleteOf(tx, userId, exceptId));
  }

  /**
   * New tokens for the current session, after a change of the password. Its refresh tokens up to now are worthless.
   *
   * @throws UnauthenticatedError where it has ended meanwhile
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
