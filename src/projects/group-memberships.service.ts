import { Injectable } from '@nestjs/common';
import type { AuditAction } from '../audit-log/audit-actions.js';
import type { AuditDetails, AuditedAct } from '../audit-log/audit-log.types.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { type Connection, inTransaction, type Transaction } from '../database/transaction.js';
import { GroupMembershipsRepository } from './group-memberships.repository.js';
import { MembershipsService } from './memberships.service.js';
import { targetOfProject } from './project-reading.service.js';
import type { RoleByGroup } from './project.types.js';

/** Time for which a membership by a group lasts after the identity provider has confirmed it. */
const CONFIRMED_SECONDS = 30 * 60;

/** Keeps the memberships of people equal to their groups at the identity provider. */
@Injectable()
export class GroupMembershipsService {
  constructor(
    private readonly groups: GroupMembershipsRepository,
    private readonly memberships: MembershipsService,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Gives a person the roles of these groups for half an hour, and ends those of all other groups. Every instance knows
   * within a second of the commit.
   */
  async follow(tx: Transaction, userId: string, groups: readonly string[]): Promise<void> {
    const given = await this.groups.rolesOf(tx, groups);
    const before = new Map((await this.groups.list(tx, userId)).map((each) => [each.projectId, each]));
    const acts: AuditedAct[] = [];
    for (const each of given) {
      const known = before.get(each.projectId);
      before.delete(each.projectId);
      await this.groups.give(tx, userId, each, CONFIRMED_SECONDS);
      if (!known) acts.push(actOf('member.add', userId, each));
      else if (known.role !== each.role)
        acts.push(actOf('member.update', userId, each, { previous_role: known.role }));
    }
    const left = [...before.values()];
    await this.groups.end(
      tx,
      userId,
      left.map(({ projectId }) => projectId),
    );
    acts.push(...left.map((each) => actOf('member.remove', userId, each)));
    if (given.length + left.length > 0) await this.memberships.changed(tx, [userId]);
    await this.auditLog.writeAll(tx, acts);
  }

  /** Deletes memberships that nobody has confirmed in time. @returns their number, at most `limit` */
  endExpired(connection: Connection, limit: number): Promise<number> {
    return inTransaction(connection, async (tx) => {
      const ended = await this.groups.deleteExpired(tx, limit);
      await this.memberships.changed(tx, [...new Set(ended.map(({ userId }) => userId))]);
      const reason = 'The identity provider has not confirmed the membership for 30 minutes';
      await this.auditLog.writeAll(
        tx,
        ended.map((each) => actOf('member.remove', each.userId, each, { reason })),
      );
      return ended.length;
    });
  }
}

function actOf(
  action: AuditAction,
  userId: string,
  { projectId, role, groupName }: RoleByGroup,
  more: AuditDetails = {},
): AuditedAct {
  const details = { user_id: userId, role, source: 'group', group: groupName, ...more };
  return { party: { kind: 'service' }, action, target: targetOfProject(projectId), details };
}
