import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { isAtLeast } from '../access/roles.js';
import { selectRows } from '../database/entity-rows.js';
import { rowsOf } from '../database/sql.js';
import type { Transaction } from '../database/transaction.js';
import { ProjectGroupEntity } from './project-group.entity.js';
import { ProjectMemberEntity } from './project-member.entity.js';
import type { RoleByGroup } from './project.types.js';

/** A membership by a group, with the person. */
export interface EndedMembership extends RoleByGroup {
  readonly userId: string;
}

/** The memberships that groups of the identity provider give. */
@Injectable()
export class GroupMembershipsRepository {
  /**
   * Reads the roles that these groups give: the highest one in each project, in the order of the projects' ids. A change of
   * these groups waits until the transaction ends, and nothing else of their projects does.
   */
  async rolesOf(tx: Transaction, groups: readonly string[]): Promise<RoleByGroup[]> {
    if (groups.length === 0) return [];
    const rows = await selectRows(tx, ProjectGroupEntity, 'given')
      .where({ groupName: In([...groups]) })
      .orderBy('given.projectId')
      .addOrderBy('given.groupName')
      .setLock('pessimistic_read')
      .getRawMany<RoleByGroup>();
    const highest = new Map<string, RoleByGroup>();
    for (const row of rows) {
      const known = highest.get(row.projectId);
      if (!known || !isAtLeast(known.role, row.role)) highest.set(row.projectId, row);
    }
    return [...highest.values()];
  }

  /** Lists the roles that a person has by groups, also those that have expired and are not deleted yet. */
  list(tx: Transaction, userId: string): Promise<RoleByGroup[]> {
    return selectRows(tx, ProjectMemberEntity, 'member', ['projectId', 'role', 'groupName'])
      .where({ userId, source: 'group' })
      .getRawMany<RoleByGroup>();
  }

  /** Gives a role for a time, or renews it. By hand: the time is the database's. */
  async give(
    tx: Transaction,
    userId: string,
    { projectId, role, groupName }: RoleByGroup,
    seconds: number,
  ): Promise<void> {
    await rowsOf(
      tx,
      `INSERT INTO project_members (user_id, project_id, source, role, group_name, expires_at)
       VALUES ($1, $2, 'group', $3, $4, clock_timestamp() + make_interval(secs => $5))
       ON CONFLICT (user_id, project_id, source) DO UPDATE
       SET role = excluded.role, group_name = excluded.group_name, expires_at = excluded.expires_at`,
      [userId, projectId, role, groupName, seconds],
    );
  }

  async end(tx: Transaction, userId: string, projectIds: readonly string[]): Promise<void> {
    await tx
      .getRepository(ProjectMemberEntity)
      .delete({ userId, source: 'group', projectId: In([...projectIds]) });
  }

  /** Deletes memberships that have expired, oldest first. By hand: it returns the rows. */
  deleteExpired(tx: Transaction, limit: number): Promise<EndedMembership[]> {
    return rowsOf<EndedMembership>(
      tx,
      `WITH expired AS MATERIALIZED (
         SELECT user_id, project_id, source FROM project_members WHERE expires_at < now()
         ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED
       )
       DELETE FROM project_members WHERE (user_id, project_id, source) IN (SELECT * FROM expired)
       RETURNING user_id AS "userId", project_id AS "projectId", role, group_name AS "groupName"`,
      [limit],
    );
  }
}
