import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { rowsOf } from '../../database/sql.js';
import type { Connection, Transaction } from '../../database/transaction.js';
import { SessionEntity } from '../sessions/session.entity.js';

/** A session and its grant of the identity provider, in the stored form. */
export interface KeptGrant {
  readonly sessionId: string;
  readonly grant: string;
}

/** Grants of the identity provider, kept by sessions. */
@Injectable()
export class ProviderGrantsRepository {
  /**
   * Takes a session's grant, in one statement: of several refreshes at once only one uses it, because some providers
   * accept a refresh token once. By hand: one statement that also compares with the database's clock.
   *
   * @param leaseSeconds time after which another refresh may take it, if this one never returns it
   * @returns null if the session has ended, keeps none, or another refresh has taken it
   */
  async take(
    connection: Connection,
    userId: string,
    sessionId: string,
    leaseSeconds: number,
  ): Promise<string | null> {
    const [row] = await rowsOf<{ grant: string }>(
      connection,
      `UPDATE sessions SET provider_asked_at = now()
       WHERE id = $1 AND user_id = $2 AND provider_grant IS NOT NULL AND expires_at > now()
         AND (provider_asked_at IS NULL OR provider_asked_at < now() - make_interval(secs => $3))
       RETURNING provider_grant AS "grant"`,
      [sessionId, userId, leaseSeconds],
    );
    return row?.grant ?? null;
  }

  /**
   * Returns a grant that was taken, or the next one.
   *
   * @param grant null: there is none any more
   * @returns false if the session has ended
   */
  async giveBack(tx: Transaction, sessionId: string, grant: string | null): Promise<boolean> {
    const { affected } = await tx
      .getRepository(SessionEntity)
      .update({ id: sessionId }, { providerGrant: grant, providerAskedAt: null });
    return affected === 1;
  }

  /**
   * Lists grants that are not encrypted under this key, after a session in the order of the ids.
   *
   * @param sealPrefix beginning of those that are
   */
  listNotUnder(
    connection: Connection,
    sealPrefix: string,
    afterId: string,
    limit: number,
  ): Promise<KeptGrant[]> {
    return connection
      .createQueryBuilder(SessionEntity, 'session')
      .select('session.id', 'sessionId')
      .addSelect('session.providerGrant', 'grant')
      .where({ id: MoreThan(afterId) })
      .andWhere('session.providerGrant IS NOT NULL')
      .andWhere('NOT starts_with(session.providerGrant, :sealPrefix)', { sealPrefix })
      .orderBy('session.id')
      .limit(limit)
      .getRawMany<KeptGrant>();
  }

  /** Replaces a stored grant, unless it was changed in the meantime. */
  async rewrite(connection: Connection, { sessionId, grant }: KeptGrant, sealed: string): Promise<void> {
    await connection
      .getRepository(SessionEntity)
      .update({ id: sessionId, providerGrant: grant }, { providerGrant: sealed });
  }
}
