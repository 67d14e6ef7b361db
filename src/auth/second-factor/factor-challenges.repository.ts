import { Injectable } from '@nestjs/common';
import { deleteOld } from '../../database/deleted-rows.js';
import { returnedRows } from '../../database/entity-rows.js';
import { rowsOf } from '../../database/sql.js';
import type { Connection, Transaction } from '../../database/transaction.js';
import { FactorChallengeEntity } from './factor-challenge.entity.js';

/** Whom a question is asked, and for what. */
export type Asked = Pick<FactorChallengeEntity, 'userId' | 'sessionId' | 'purpose'>;

export type FactorChallenge = Asked & Pick<FactorChallengeEntity, 'tokenHash' | 'challenge'>;

@Injectable()
export class FactorChallengesRepository {
  /**
   * Inserts a question; a session's earlier one for the same purpose is replaced. By hand: the expiry is computed by the
   * database's clock, and TypeORM's upsert takes no expressions.
   */
  async insert(tx: Transaction, question: FactorChallenge, lifetimeSeconds: number): Promise<void> {
    await rowsOf(
      tx,
      `INSERT INTO factor_challenges (token_hash, user_id, session_id, purpose, challenge, created_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, now(), now() + make_interval(secs => $6))
       ON CONFLICT (session_id, purpose) DO UPDATE
         SET token_hash = EXCLUDED.token_hash, challenge = EXCLUDED.challenge, created_at = EXCLUDED.created_at,
           expires_at = EXCLUDED.expires_at`,
      [
        question.tokenHash,
        question.userId,
        question.sessionId,
        question.purpose,
        question.challenge,
        lifetimeSeconds,
      ],
    );
  }

  /** The account of a login's question that is still good. */
  async findLogin(connection: Connection, tokenHash: Buffer): Promise<string | null> {
    const row = await connection
      .createQueryBuilder(FactorChallengeEntity, 'question')
      .select('question.userId', 'userId')
      .where({ tokenHash, purpose: 'login' })
      .andWhere('question.expiresAt > now()')
      .getRawOne<{ userId: string }>();
    return row?.userId ?? null;
  }

  /**
   * Uses a question, which deletes it: of several answers at once one gets it, the others wait, and find none unless that one
   * is rolled back.
   *
   * @returns what a passkey had to sign; null if it is not good any more, or was asked of another person
   */
  async take(
    tx: Transaction,
    tokenHash: Buffer,
    { userId, sessionId, purpose }: Asked,
  ): Promise<string | null> {
    const [row] = await returnedRows<{ challenge: string }>(
      tx
        .createQueryBuilder()
        .delete()
        .from(FactorChallengeEntity)
        .where('token_hash = :tokenHash AND user_id = :userId AND purpose = :purpose', {
          tokenHash,
          userId,
          purpose,
        })
        .andWhere('session_id IS NOT DISTINCT FROM :sessionId AND expires_at > now()', { sessionId })
        .returning('challenge'),
    );
    return row?.challenge ?? null;
  }

  /** Deletes the account's questions: an answer must not finish a login that began with an older password. */
  async deleteOf(tx: Transaction, userId: string): Promise<void> {
    await tx.getRepository(FactorChallengeEntity).delete({ userId });
  }

  /** @returns the number of deleted questions, at most `limit` */
  deleteExpired(connection: Connection, limit: number): Promise<number> {
    return deleteOld(connection, FactorChallengeEntity, { since: 'old.expiresAt' }, limit);
  }
}
