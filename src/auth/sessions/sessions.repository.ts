import { Inject, Injectable } from '@nestjs/common';
import { Not } from 'typeorm';
import type { RequestOrigin } from '../../access/request-origin.js';
import { SETTINGS } from '../../config/injection-tokens.js';
import type { Settings } from '../../config/settings.js';
import { deleteOld } from '../../database/deleted-rows.js';
import { columnsOf, returnedRows, selectRows } from '../../database/entity-rows.js';
import type { Page, PageRequest } from '../../database/page.js';
import { readNewest } from '../../database/read-page.js';
import { shifted } from '../../database/clock.js';
import { rowsOf } from '../../database/sql.js';
import type { Connection, Transaction } from '../../database/transaction.js';
import { SessionEntity } from './session.entity.js';
import type { NewSession, OpenSession, Session, SessionProof } from './session.types.js';

/** Number of days after which a session without a refresh expires. */
const IDLE_DAYS = 7;
const OPEN = `${columnsOf(SessionEntity, ['id', 'userId', 'generation', 'lastUsedAt', 'expiresAt'])},
  provider_grant IS NOT NULL AS "confirmsGroups"`;

@Injectable()
export class SessionsRepository {
  /** @param settings `SESSION_MAX_DAYS` counts from the login, regardless of refreshes */
  constructor(@Inject(SETTINGS) private readonly settings: Pick<Settings, 'SESSION_MAX_DAYS'>) {}

  /** @param isProven its person has proven who they are, with a second factor if the account has one */
  async insert(
    tx: Transaction,
    isProven: boolean,
    session: NewSession & Pick<OpenSession, 'userId'> & Pick<RequestOrigin, 'address' | 'userAgent'>,
  ): Promise<OpenSession> {
    const [row] = await returnedRows<OpenSession>(
      tx
        .createQueryBuilder()
        .insert()
        .into(SessionEntity)
        .values({
          ...session,
          provenAt: isProven ? () => 'now()' : null,
          expiresAt: () => 'now() + make_interval(days => :days)',
        })
        .setParameters({ days: Math.min(IDLE_DAYS, this.settings.SESSION_MAX_DAYS) })
        .returning(OPEN)
        .updateEntity(false),
    );
    return row!;
  }

  /** @returns milliseconds until the session expires, by the database's clock; null if this user has no such session */
  async findRemainingMs(connection: Connection, userId: string, id: string): Promise<number | null> {
    const row = await connection
      .createQueryBuilder(SessionEntity, 'session')
      .select('(extract(epoch FROM session.expiresAt - now()) * 1000)::float8', 'remainingMs')
      .where({ id, userId })
      .getRawOne<{ remainingMs: number }>();
    return row?.remainingMs ?? null;
  }

  /**
   * Rotates the refresh token, in one statement, so that one of several concurrent refreshes rotates and the others see
   * the rotation. The previous token stays valid for `graceSeconds` after the rotation, as long as the new one has not
   * been used: it returns the new one again. By hand: TypeORM's UPDATE has no CASE.
   *
   * @param generation number of the presented token
   * @returns null if the session has ended, or the token has been used before
   */
  async rotate(
    tx: Transaction,
    session: Pick<OpenSession, 'id' | 'userId' | 'generation'> & Pick<RequestOrigin, 'address'>,
    graceSeconds: number,
  ): Promise<OpenSession | null> {
    const [row] = await rowsOf<OpenSession>(
      tx,
      `UPDATE sessions SET
         generation = $3::int + 1,
         last_used_at = CASE WHEN generation = $3 THEN clock.at ELSE last_used_at END,
         expires_at = CASE WHEN generation = $3
           THEN least(clock.idle_until, ${shifted('created_at', '+', 'make_interval(days => $5)')}) ELSE expires_at END,
         address = $7
       FROM (VALUES (now(), now() + make_interval(days => $4))) AS clock (at, idle_until)
       WHERE id = $1 AND user_id = $2 AND expires_at > now()
         AND (generation = $3
           OR generation = $3::int + 1 AND last_used_at > now() - make_interval(secs => $6))
       RETURNING ${OPEN}`,
      [
        session.id,
        session.userId,
        session.generation,
        IDLE_DAYS,
        this.settings.SESSION_MAX_DAYS,
        graceSeconds,
        session.address,
      ],
    );
    return row ?? null;
  }

  /** @returns the time of the proof; null if the session has ended */
  async prove(tx: Transaction, userId: string, id: string): Promise<string | null> {
    const [row] = await returnedRows<{ provenAt: string }>(
      tx
        .createQueryBuilder()
        .update(SessionEntity)
        .set({ provenAt: () => 'now()' })
        .where({ id, userId })
        .returning('proven_at AS "provenAt"'),
    );
    return row?.provenAt ?? null;
  }

  /** Forgets the proofs of the user's other sessions. */
  async forgetProofs(tx: Transaction, userId: string, exceptId: string): Promise<void> {
    await tx.getRepository(SessionEntity).update({ userId, id: Not(exceptId) }, { provenAt: null });
  }

  /**
   * The facts that decide whether a step-up is needed. By hand: the account belongs to another feature.
   *
   * @param id null: the caller has no session
   */
  async findProof(
    connection: Connection,
    userId: string,
    id: string | null,
    lifetimeSeconds: number,
  ): Promise<SessionProof | null> {
    const [row] = await rowsOf<SessionProof>(
      connection,
      `SELECT has_second_factor AS "hasSecondFactor", password_hash IS NOT NULL AS "hasPassword",
         coalesce(proven_at > now() - make_interval(secs => $3), false) AS "isFresh"
       FROM users LEFT JOIN sessions ON sessions.user_id = users.id AND sessions.id = $2
       WHERE users.id = $1`,
      [userId, id, lifetimeSeconds],
    );
    return row ?? null;
  }

  /** Advances to new tokens, and invalidates all earlier refresh tokens, without a grace period. */
  async renew(tx: Transaction, userId: string, id: string): Promise<OpenSession | null> {
    const [row] = await returnedRows<OpenSession>(
      tx
        .createQueryBuilder()
        .update(SessionEntity)
        .set({ generation: () => 'generation + 2', lastUsedAt: () => 'now()' })
        .where({ id, userId })
        .returning(OPEN),
    );
    return row ?? null;
  }

  /** Lists sessions, newest first. */
  list(connection: Connection, userId: string, request: PageRequest): Promise<Page<Session>> {
    const newestFirst = selectRows(connection, SessionEntity, 'session')
      .where({ userId })
      .andWhere('session.expiresAt > now()');
    return readNewest(connection, newestFirst, request);
  }

  async hasAddress(connection: Connection, userId: string, address: string): Promise<boolean> {
    return connection.getRepository(SessionEntity).existsBy({ userId, address });
  }

  /** @returns true if the user had such a session */
  async delete(tx: Transaction, userId: string, id: string): Promise<boolean> {
    const { affected } = await tx.getRepository(SessionEntity).delete({ id, userId });
    return affected === 1;
  }

  /**
   * @param exceptId the session that stays open; absent: none
   * @returns ids of the ended sessions
   */
  async deleteOf(tx: Transaction, userId: string, exceptId?: string): Promise<string[]> {
    const rows = await returnedRows<{ id: string }>(
      tx
        .createQueryBuilder()
        .delete()
        .from(SessionEntity)
        .where({ userId, ...(exceptId !== undefined && { id: Not(exceptId) }) })
        .returning('id'),
    );
    return rows.map(({ id }) => id);
  }

  /** @returns the number of deleted sessions, at most `limit` */
  deleteExpired(connection: Connection, limit: number): Promise<number> {
    return deleteOld(connection, SessionEntity, { since: 'old.expiresAt' }, limit);
  }
}
