import { Injectable } from '@nestjs/common';
import { ADVISORY_LOCKS } from '../database/advisory-locks.js';
import type { Page, PageRequest } from '../database/page.js';
import { readPage } from '../database/read-page.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import type { Registration, User, UserChange, UserCredentials, UserStanding } from './user.types.js';

const USER_COLUMNS = `id, email, name, is_active AS "isActive", is_admin AS "isAdmin",
  created_at AS "createdAt", updated_at AS "updatedAt"`;

/** SQL by hand: what is returned leaves the password out, addresses are compared without case, and writes return rows. */
@Injectable()
export class UsersRepository {
  /** @returns null when the address, in whatever case, is taken */
  async insert(
    tx: Transaction,
    user: Registration & { readonly id: string },
    operatorEmails: readonly string[],
  ): Promise<User | null> {
    const [row] = await rowsOf<User>(
      tx,
      `INSERT INTO users (id, email, password_hash, name, is_admin)
       VALUES ($1, $2::text, $3, $4, lower($2) IN (SELECT lower(email) FROM unnest($5::text[]) AS email))
       ON CONFLICT (lower(email)) DO NOTHING
       RETURNING ${USER_COLUMNS}`,
      [user.id, user.email, user.passwordHash, user.name, operatorEmails],
    );
    return row ?? null;
  }

  /** As {@link insert}, and an operator when there is no other user: of racing first ones exactly one. */
  async insertMaybeFirst(
    tx: Transaction,
    user: Registration & { readonly id: string },
  ): Promise<User | null> {
    await rowsOf(tx, 'SELECT pg_advisory_xact_lock($1) WHERE NOT EXISTS (SELECT 1 FROM users)', [
      ADVISORY_LOCKS.firstUser,
    ]);
    // A statement of its own: it sees what was committed while this one waited for its turn.
    const [row] = await rowsOf<User>(
      tx,
      `INSERT INTO users (id, email, password_hash, name, is_admin)
       VALUES ($1, $2, $3, $4, NOT EXISTS (SELECT 1 FROM users))
       ON CONFLICT (lower(email)) DO NOTHING
       RETURNING ${USER_COLUMNS}`,
      [user.id, user.email, user.passwordHash, user.name],
    );
    return row ?? null;
  }

  async find(connection: Connection, id: string): Promise<User | null> {
    const [row] = await rowsOf<User>(connection, `SELECT ${USER_COLUMNS} FROM users WHERE id = $1`, [id]);
    return row ?? null;
  }

  async findCredentials(connection: Connection, email: string): Promise<UserCredentials | null> {
    const [row] = await rowsOf<UserCredentials>(
      connection,
      `SELECT id, password_hash AS "passwordHash", is_active AS "isActive"
       FROM users WHERE lower(email) = lower($1)`,
      [email],
    );
    return row ?? null;
  }

  async findStanding(connection: Connection, id: string): Promise<UserStanding | null> {
    const [row] = await rowsOf<UserStanding>(
      connection,
      'SELECT is_active AS "isActive", is_admin AS "isAdmin" FROM users WHERE id = $1',
      [id],
    );
    return row ?? null;
  }

  /** Newest first. Rows are small: an address and a name. */
  list(connection: Connection, request: PageRequest): Promise<Page<User>> {
    return readPage<User>(
      connection,
      { columns: USER_COLUMNS, from: 'users', where: 'true', orderBy: 'id DESC', parameters: [] },
      request,
    );
  }

  /** @returns null when there is no such user */
  async update(tx: Transaction, id: string, change: UserChange): Promise<User | null> {
    const [row] = await rowsOf<User>(
      tx,
      `UPDATE users SET is_active = coalesce($2, is_active), is_admin = coalesce($3, is_admin), updated_at = now()
       WHERE id = $1
       RETURNING ${USER_COLUMNS}`,
      [id, change.isActive, change.isAdmin],
    );
    return row ?? null;
  }

  /** Ids of the operators that can act; none of them changes until the transaction ends. */
  async lockActiveOperators(tx: Transaction): Promise<string[]> {
    const rows = await rowsOf<{ id: string }>(
      tx,
      'SELECT id FROM users WHERE is_active AND is_admin ORDER BY id FOR NO KEY UPDATE',
    );
    return rows.map(({ id }) => id);
  }

  /** @returns ids of those that became operators by it */
  async makeOperators(tx: Transaction, emails: readonly string[]): Promise<string[]> {
    const rows = await rowsOf<{ id: string }>(
      tx,
      `UPDATE users SET is_admin = true, updated_at = now()
       WHERE lower(email) IN (SELECT lower(listed) FROM unnest($1::text[]) AS listed) AND NOT is_admin
       RETURNING id`,
      [emails],
    );
    return rows.map(({ id }) => id);
  }
}
