import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import type { Role } from '../access/roles.js';
import type { AuditAction } from '../audit-log/audit-actions.js';
import type { AuditDetails } from '../audit-log/audit-log.types.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import type { Transaction } from '../database/transaction.js';
import { MembershipsService } from './memberships.service.js';
import { ProjectMembersRepository } from './project-members.repository.js';
import { targetOfProject } from './project-reading.service.js';

/** A person in a project. */
interface Place {
  readonly projectId: string;
  readonly userId: string;
}

/** Writes the direct memberships: each change is audited, and known to every instance within a second. */
@Injectable()
export class MemberChanges {
  constructor(
    private readonly members: ProjectMembersRepository,
    private readonly memberships: MembershipsService,
    private readonly auditLog: AuditLogService,
  ) {}

  /** @returns false if the person is a direct member already */
  async add(tx: Transaction, caller: UserPrincipal, place: Place, role: Role): Promise<boolean> {
    const isNew = await this.members.insert(tx, { ...place, role, addedBy: caller.userId });
    if (isNew) await this.changed(tx, caller, 'member.add', place, { role });
    return isNew;
  }

  async setRole(
    tx: Transaction,
    caller: UserPrincipal,
    place: Place,
    role: Role,
    previous: Role,
  ): Promise<void> {
    await this.members.setRole(tx, place.projectId, place.userId, role);
    await this.changed(tx, caller, 'member.update', place, { role, previous_role: previous });
  }

  async remove(tx: Transaction, caller: UserPrincipal, place: Place, role: Role): Promise<void> {
    await this.members.delete(tx, place.projectId, place.userId);
    await this.changed(tx, caller, 'member.remove', place, { role });
  }

  private async changed(
    tx: Transaction,
    caller: UserPrincipal,
    action: AuditAction,
    { projectId, userId }: Place,
    details: AuditDetails,
  ): Promise<void> {
    await this.memberships.changed(tx, [userId]);
    await this.auditLog.write(tx, caller, action, targetOfProject(projectId), {
      user_id: userId,
      ...details,
    });
  }
}
