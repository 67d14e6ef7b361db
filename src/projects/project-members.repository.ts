import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { isAtLeast, type Role, ROLES } from '../access/roles.js';
import { columnsOf, returnedRows, selectRows } from '../database/entity-rows.js';
import type { Page, PageRequest } from '../database/page.js';
import { PreparedQuery } from '../database/prepared-query.js';
import { type Place, readNewest } from '../database/read-page.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { ProjectMemberEntity } from './project-member.entity.js';
import type { Member, TimedMembership } from './project.types.js';

/** SQL: a membership by a group ends by itself. */
const IN_FORCE = '(member.expiresAt IS NULL OR member.expiresAt > now())';

const MEMBERSHIPS = new PreparedQuery('memberships', ['userId'], (connection) =>
  selectRows(connection, ProjectMemberEntity, 'member', ['projectId', 'role'])
    .addSelect('(extract(epoch FROM member.expiresAt - now()) * 1000)::float8', 'endsInMs')
    .where(`member.userId = :userId AND ${IN_FORCE}`)
    .orderBy('member.projectId = :userId', 'DESC')
    .addOrderBy('member.projectId'),
);

const COLUMNS = columnsOf(
  ProjectMemberEntity,
  ['userId', 'role', 'source', 'addedBy', 'createdAt'],
  'member',
);

/** SQL for the weight of a membership: of two that a person has, the one with the higher role counts. */
const weight = (alias: string) =>
  `(array_position(ARRAY[${ROLES.map((role) => `'${role}'`).join(', ')}], ${alias}.role), ${alias}.source = 'direct')`;

/** SQL for the other membership of the same person, if that is the one that counts. One line: TypeORM finds the properties in it. */
const HIGHER =
  'SELECT FROM project_members AS other WHERE other.project_id = member.projectId AND other.user_id = member.userId ' +
  `AND (other.expires_at IS NULL OR other.expires_at > now()) AND ${weight('other')} > ${weight('member')}`;

const BY_PERSON: Place<Member> = {
  column: 'member.userId',
  isAfter: 'member.userId < :before',
  valueOf: ({ userId }) => userId,
};

type DirectMember = Pick<ProjectMemberEntity, 'projectId' | 'userId' | 'role' | 'addedBy'>;

@Injectable()
export class ProjectMembersRepository {
  /** The projects of an account with the highest of its roles in each, the personal one first. */
  async membershipsOf(connection: Connection, userId: string): Promise<TimedMembership[]> {
    const rows = await MEMBERSHIPS.rows<TimedMembership>(connection, { userId });
    const highest = new Map<string, TimedMembership>();
    for (const row of rows) {
      const known = highest.get(row.projectId);
      if (!known || isAtLeast(row.role, known.role)) highest.set(row.projectId, row);
    }
    return [...highest.values()];
  }

  /** Lists the members of a project, the newest accounts first. Rows are small: an address and a name. */
  list(connection: Connection, projectId: string, request: PageRequest): Promise<Page<Member>> {
    return readNewest<Member>(
      connection,
      selectMembers(connection, projectId),
      request,
      undefined,
      BY_PERSON,
    );
  }

  async find(connection: Connection, projectId: string, userId: string): Promise<Member | null> {
    const member = selectMembers(connection, projectId).andWhere({ userId });
    return (await member.getRawOne<Member>()) ?? null;
  }

  /** The role that a person was given by hand. */
  async directRole(tx: Transaction, projectId: string, userId: string): Promise<Role | null> {
    const row = await selectRows(tx, ProjectMemberEntity, 'member', ['role'])
      .where({ projectId, userId, source: 'direct' })
      .getRawOne<{ role: Role }>();
    return row?.role ?? null;
  }

  /** Adds a direct membership. @returns false if the person has one already */
  async insert(tx: Transaction, member: DirectMember): Promise<boolean> {
    const rows = await returnedRows(
      tx
        .createQueryBuilder()
        .insert()
        .into(ProjectMemberEntity)
        .values({ ...member, source: 'direct' })
        .orIgnore()
        .returning('user_id')
        .updateEntity(false),
    );
    return rows.length === 1;
  }

  async setRole(tx: Transaction, projectId: string, userId: string, role: Role): Promise<void> {
    await tx.getRepository(ProjectMemberEntity).update({ projectId, userId, source: 'direct' }, { role });
  }

  async delete(tx: Transaction, projectId: string, userId: string): Promise<void> {
    await tx.getRepository(ProjectMemberEntity).delete({ projectId, userId, source: 'direct' });
  }

  /** Deletes all memberships of a project. @returns the accounts that had one */
  async deleteAll(tx: Transaction, projectId: string): Promise<string[]> {
    const rows = await returnedRows<{ userId: string }>(
      tx
        .createQueryBuilder()
        .delete()
        .from(ProjectMemberEntity)
        .where({ projectId })
        .returning(columnsOf(ProjectMemberEntity, ['userId'])),
    );
    return [...new Set(rows.map(({ userId }) => userId))];
  }

  /** The shared projects that a person owns directly, in the order in which they are locked. */
  async sharedOwnedBy(tx: Transaction, userId: string): Promise<string[]> {
    const rows = await selectRows(tx, ProjectMemberEntity, 'member', ['projectId'])
      .where({ userId, source: 'direct', role: 'owner' })
      .andWhere('member.projectId <> member.userId')
      .orderBy('member.projectId')
      .getRawMany<{ projectId: string }>();
    return rows.map(({ projectId }) => projectId);
  }

  /** Deletes the memberships of a person in shared projects. @returns the deleted ones */
  deleteShared(tx: Transaction, userId: string): Promise<Pick<ProjectMemberEntity, 'projectId' | 'role'>[]> {
    return returnedRows(
      tx
        .createQueryBuilder()
        .delete()
        .from(ProjectMemberEntity)
        .where({ userId })
        .andWhere('project_id <> user_id')
        .returning(columnsOf(ProjectMemberEntity, ['projectId', 'role'])),
    );
  }

  /**
   * Returns true if a project has an owner, with an active account, besides this one. Owners by a group don't count: the
   * identity provider may take them away at any time. By hand: the table of accounts belongs to a feature below.
   */
  async hasOwnerBeside(tx: Transaction, projectId: string, userId: string): Promise<boolean> {
    const [row] = await rowsOf<{ found: boolean }>(
      tx,
      `SELECT EXISTS (
         SELECT FROM project_members AS member JOIN users AS account ON account.id = member.user_id
         WHERE member.project_id = $1 AND member.user_id <> $2 AND member.source = 'direct'
           AND member.role = 'owner' AND account.is_active
       ) AS found`,
      [projectId, userId],
    );
    return row!.found;
  }
}

/** Each member once, with the membership that counts. By hand: the table of accounts belongs to a feature below. */
function selectMembers(connection: Connection, projectId: string): SelectQueryBuilder<ProjectMemberEntity> {
  return connection
    .createQueryBuilder(ProjectMemberEntity, 'member')
    .select(`${COLUMNS}, account.email AS email, account.name AS name`)
    .innerJoin('users', 'account', 'account.id = member.userId')
    .where({ projectId })
    .andWhere(`${IN_FORCE} AND NOT EXISTS (${HIGHER})`);
}
