import { Injectable } from '@nestjs/common';
import { rowsOf } from '../../database/sql.js';
import type { Connection } from '../../database/transaction.js';
import { SessionEntity } from '../sessions/session.entity.js';

/** The strength of the sign-ins of sessions. */
@Injectable()
export class SignInProofsRepository {
  /**
   * A session of an account without a password, or with a grant of the provider, came from the provider, also if an older version
   * has opened it: it has proved nothing. By hand: the table of accounts belongs to another feature, to which the foreign key refers.
   *
   * @returns null if the session has ended, or a password has opened it
   */
  async find(connection: Connection, userId: string, id: string): Promise<readonly string[] | null> {
    const [row] = await rowsOf<{ proof: readonly string[] | null }>(
      connection,
      `SELECT coalesce(sign_in_proof,
         CASE WHEN provider_grant IS NOT NULL OR password_hash IS NULL THEN '{}'::text[] END) AS proof
       FROM sessions JOIN users ON users.id = user_id
       WHERE sessions.id = $1 AND user_id = $2`,
      [id, userId],
    );
    return row?.proof ?? null;
  }

  async clear(connection: Connection, userId: string, id: string): Promise<void> {
    await connection.getRepository(SessionEntity).update({ id, userId }, { signInProof: [] });
  }
}
