import { Injectable } from '@nestjs/common';
import type { SessionPrincipal, UserPrincipal } from '../../access/principal.js';
import { accountOf } from '../../audit-log/audited-act.js';
import { AuditLogService } from '../../audit-log/audit-log.service.js';
import { Database } from '../../database/database.js';
import type { Transaction } from '../../database/transaction.js';
import { ForbiddenError, UnauthenticatedError } from '../../errors/domain-error.js';
import { SessionsRepository } from './sessions.repository.js';

/** Time for which a proof lasts. */
const PROOF_SECONDS = 10 * 60;

/** When the people of sessions have last proven who they are: by the login, or by a step-up. */
@Injectable()
export class SessionProofsService {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Records a proof.
   *
   * @param method by which it was given
   * @returns the time until which it lasts
   * @throws UnauthenticatedError if the session has ended in the meantime
   */
  async prove(tx: Transaction, caller: SessionPrincipal, method: string): Promise<string> {
    const { userId, sessionId } = caller;
    const provenAt = await this.sessions.prove(tx, userId, sessionId);
    if (provenAt === null) throw new UnauthenticatedError();
    await this.auditLog.write(tx, caller, 'session.step_up', accountOf(userId), { method });
    return new Date(Date.parse(provenAt) + PROOF_SECONDS * 1_000).toISOString();
  }

  /** Makes this session the only one with a proof: those of the others were given without the new factor. */
  async proveAlone(tx: Transaction, { userId, sessionId }: SessionPrincipal): Promise<void> {
    if ((await this.sessions.prove(tx, userId, sessionId)) === null) throw new UnauthenticatedError();
    await this.sessions.forgetProofs(tx, userId, sessionId);
  }

  /** Records a step-up that has failed. */
  recordWrong(caller: SessionPrincipal, method: string, reason: string): void {
    this.auditLog.refused(caller, 'session.step_up', accountOf(caller.userId), { method, reason });
  }

  /**
   * Always reads the database: a proof that another instance has just recorded counts at once.
   *
   * @param isForEverybody also accounts that have a password alone have to prove who they are
   * @throws ForbiddenError if the caller has not done so within ten minutes
   */
  async require(caller: UserPrincipal, isForEverybody: boolean): Promise<void> {
    const { userId, sessionId, credential } = caller;
    // The person has no account, and the maker of the link has proven who they are.
    if (credential === 'project_key') return;
    const proof = await this.sessions.findProof(
      this.database.people.manager,
      userId,
      sessionId,
      PROOF_SECONDS,
    );
    const canProve = proof?.hasSecondFactor || (isForEverybody && proof?.hasPassword);
    if (!canProve || proof.isFresh) return;
    throw new ForbiddenError(
      'step_up_required',
      sessionId === null
        ? "The account has a second factor, so this requires a login by its owner: an API key can't do it"
        : 'Confirm your identity first: POST /auth/step-up. A confirmation is valid for ten minutes',
    );
  }
}
