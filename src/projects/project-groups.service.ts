import { Inject, Injectable } from '@nestjs/common';
import type { AuditDetails } from '../audit-log/audit-log.types.js';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { ConflictError } from '../errors/domain-error.js';
import { MembershipsService } from './memberships.service.js';
import { ProjectGroupsRepository } from './project-groups.repository.js';
import type { GroupRole } from './project.types.js';

/** The groups of the identity provider that have a role in a project. */
@Injectable()
export class ProjectGroupsService {
  constructor(
    private readonly groups: ProjectGroupsRepository,
    private readonly memberships: MembershipsService,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'OIDC_GROUPS_CLAIM'>,
  ) {}

  /** @throws ConflictError if there are groups, and the service does not read them: they would give nobody a role */
  requireRead(groups: readonly GroupRole[]): void {
    if (groups.length === 0 || this.settings.OIDC_GROUPS_CLAIM !== '') return;
    throw new ConflictError(
      'groups_off',
      "Groups can't give roles: an operator has to set OIDC_GROUPS_CLAIM first",
    );
  }

  list(connection: Connection, projectId: string): Promise<GroupRole[]> {
    return this.groups.list(connection, projectId);
  }

  /**
   * Replaces the groups of a project that is locked. A person whose group is taken away and who is in another group of the
   * project gets that one's role when the identity provider confirms it next.
   *
   * @returns what changed, for the audit log
   */
  async change(tx: Transaction, projectId: string, groups: readonly GroupRole[]): Promise<AuditDetails> {
    const before = await this.groups.list(tx, projectId);
    const [then, now] = [rolesByName(before), rolesByName(groups)];
    const removed = before.filter(({ groupName }) => !now.has(groupName));
    const changed = groups.filter(({ groupName, role }) => (then.get(groupName) ?? role) !== role);
    if (removed.length + changed.length === 0 && before.length === groups.length) return {};
    await this.groups.replace(tx, projectId, groups);
    const names = removed.map(({ groupName }) => groupName);
    const affected = await this.groups.endMemberships(tx, projectId, names);
    for (const group of changed) affected.push(...(await this.groups.setRole(tx, projectId, group)));
    await this.memberships.changed(tx, affected);
    return { groups: Object.fromEntries(now), previous_groups: Object.fromEntries(then) };
  }
}

const rolesByName = (groups: readonly GroupRole[]) =>
  new Map(groups.map(({ groupName, role }) => [groupName, role]));
