import { Injectable } from '@nestjs/common';
import type { Membership } from '../access/principal.js';
import { isAtLeast } from '../access/roles.js';
import { PreparedQuery } from '../database/prepared-query.js';
import { selectRows } from '../database/entity-rows.js';
import type { Connection } from '../database/transaction.js';
import { ProjectMemberEntity } from './project-member.entity.js';

const MEMBERSHIPS = new PreparedQuery('memberships', ['userId'], (connection) =>
  selectRows(connection, ProjectMemberEntity, 'member', ['projectId', 'role'])
    .where('member.userId = :userId')
    .orderBy('member.projectId = :userId', 'DESC')
    .addOrderBy('member.projectId'),
);

@Injectable()
export class ProjectMembersRepository {
  /** The projects of an account with the highest of its roles in each, the personal one first. */
  async membershipsOf(connection: Connection, userId: string): Promise<Membership[]> {
    const rows = await MEMBERSHIPS.rows<Membership>(connection, { userId });
    const highest = new Map<string, Membership>();
    for (const row of rows) {
      const known = highest.get(row.projectId);
      if (!known || isAtLeast(row.role, known.role)) highest.set(row.projectId, row);
    }
    return [...highest.values()];
  }
}
