import { Injectable } from '@nestjs/common';
import { ADVISORY_LOCKS } from '../database/advisory-locks.js';
import { columnsOf, returnedRows, selectRows } from '../database/entity-rows.js';
import type { Page, PageRequest } from '../database/page.js';
import { readPage } from '../database/read-page.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { UserEntity } from './user.entity.js';
import type { Registration, User, UserChange, UserCredentials, UserStanding } from './user.types.js';

type NewUser = Registration & { readonly id: string };

const COLUMNS = columnsOf(UserEntity);

@Injectable()
export class UsersRepository {
  /**
   * @param operatorEmails accounts with one of these addresses, in whatever case, become operators
   * @returns null when the address, in whatever case, is taken
   */
  insert(tx: Transaction, user: NewUser, operatorEmails: readonly string[]): Promise<User | null> {
    return this.insertAs(
      tx,
      user,
      'lower(:email) IN (SELECT lower(listed) FROM unnest(:operatorEmails::text[]) AS listed)',
      {
        email: user.email,
        operatorEmails,
      },
    );
  }

  /** As {@link insert}. Becomes an operator when there is no other user: of racing first ones exactly one. */
  async insertMaybeFirst(tx: Transaction, user: NewUser): Promise<User | null> {
    // By hand: TypeORM knows no advisory locks.
    await rowsOf(tx, 'SELECT pg_advisory_xact_lock($1) WHERE NOT EXISTS (SELECT 1 FROM users)', [
      ADVISORY_LOCKS.firstUser,
    ]);
    // A statement of its own: it sees what was committed while this one waited for the lock.
    return this.insertAs(tx, user, 'NOT EXISTS (SELECT 1 FROM users)', {});
  }

  find(connection: Connection, id: string): Promise<User | null> {
    return connection.getRepository(UserEntity).findOneBy({ id });
  }

  async findCredentials(connection: Connection, email: string): Promise<UserCredentials | null> {
    const row = await selectRows(connection, UserEntity, 'user', ['id', 'passwordHash', 'isActive'])
      .where('lower(user.email) = lower(:email)', { email })
      .getRawOne<UserCredentials>();
    return row ?? null;
  }

  async findStanding(connection: Connection, id: string): Promise<UserStanding | null> {
    const row = await selectRows(connection, UserEntity, 'user', ['isActive', 'isAdmin'])
      .where({ id })
      .getRawOne<UserStanding>();
    return row ?? null;
  }

  /** Newest first. Rows are small: an address and a name. */
  list(connection: Connection, request: PageRequest): Promise<Page<User>> {
    return readPage(
      connection,
      selectRows(connection, UserEntity, 'user').orderBy('user.id', 'DESC'),
      request,
    );
  }

  /** @returns null when there is no such user */
  async update(tx: Transaction, id: string, { isActive, isAdmin }: UserChange): Promise<User | null> {
    const [user] = await returnedRows<User>(
      tx
        .createQueryBuilder()
        .update(UserEntity)
        .set({ isActive, isAdmin, updatedAt: () => 'now()' })
        .where({ id })
        .returning(COLUMNS),
    );
    return user ?? null;
  }

  /** Ids of the operators that can act; none of them changes until the transaction ends. */
  async lockActiveOperators(tx: Transaction): Promise<string[]> {
    const rows = await selectRows(tx, UserEntity, 'user', ['id'])
      .where({ isActive: true, isAdmin: true })
      .orderBy('user.id')
      .setLock('for_no_key_update')
      .getRawMany<{ id: string }>();
    return rows.map(({ id }) => id);
  }

  /** @returns ids of those that became operators by it */
  async makeOperators(tx: Transaction, emails: readonly string[]): Promise<string[]> {
    const rows = await returnedRows<{ id: string }>(
      tx
        .createQueryBuilder()
        .update(UserEntity)
        .set({ isAdmin: true, updatedAt: () => 'now()' })
        .where('lower(email) IN (SELECT lower(listed) FROM unnest(:emails::text[]) AS listed)', { emails })
        .andWhere({ isAdmin: false })
        .returning('id'),
    );
    return rows.map(({ id }) => id);
  }

  /** @param isAdmin SQL, with these parameters */
  private async insertAs(
    tx: Transaction,
    user: NewUser,
    isAdmin: string,
    parameters: object,
  ): Promise<User | null> {
    const [inserted] = await returnedRows<User>(
      tx
        .createQueryBuilder()
        .insert()
        .into(UserEntity)
        .values({ ...user, isAdmin: () => isAdmin })
        .setParameters(parameters)
        .orIgnore()
        .returning(COLUMNS)
        .updateEntity(false),
    );
    return inserted ?? null;
  }
}
