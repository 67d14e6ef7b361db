import { Injectable } from '@nestjs/common';
import { ownReachOf } from '../access/reach.js';
import type { UserPrincipal } from '../access/principal.js';
import type { Role } from '../access/roles.js';
import { Database } from '../database/database.js';
import type { Transaction } from '../database/transaction.js';
import { ConflictError, DomainError, NotFoundError } from '../errors/domain-error.js';
import { projectFor } from '../http/required-role.js';
import { UsersService } from '../users/users.service.js';
import { MemberChanges } from './member-changes.js';
import { ProjectMembersRepository } from './project-members.repository.js';
import type { Member, NewMember, RoleInProject } from './project.types.js';
import { ProjectsRepository } from './projects.repository.js';
import { requireShared } from './projects.service.js';

const ALONE =
  "A personal project can't have other members, and its owner can't leave: create a project to share";

@Injectable()
export class ProjectMembersService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly members: ProjectMembersRepository,
    private readonly changes: MemberChanges,
    private readonly users: UsersService,
    private readonly database: Database,
  ) {}

  /**
   * Makes the person with this address a member. An operator can add an owner to any project.
   *
   * @throws NotFoundError, ForbiddenError
   * @throws DomainError `not_found` if no account has the address
   * @throws ConflictError if the person was added before, or the project is a personal one
   */
  async add(
    tx: Transaction,
    caller: UserPrincipal,
    projectId: string,
    { email, role }: NewMember,
  ): Promise<Member> {
    if (!caller.isAdmin || role !== 'owner') projectFor(ownReachOf(caller), projectId);
    requireShared(await this.projects.lock(tx, projectId), ALONE);
    const userId = await this.users.findIdByEmail(tx, email);
    if (userId === null) {
      throw new DomainError(
        'not_found',
        'not_found',
        'No account has this address: an operator can invite it',
      );
    }
    if (!(await this.changes.add(tx, caller, { projectId, userId }, role)))
      throw new ConflictError('already_member', 'This person is already a member: change the role instead');
    return (await this.members.find(tx, projectId, userId))!;
  }

  /**
   * Makes a new account a member of projects, which need not be the operator's.
   *
   * @throws NotFoundError, ConflictError if one of them does not exist or is a personal one
   */
  async addInvited(
    tx: Transaction,
    operator: UserPrincipal,
    userId: string,
    roles: readonly RoleInProject[],
  ): Promise<void> {
    // In one order, so that two invitations never wait for each other.
    const inOrder = [...roles].sort((one, other) => (one.projectId < other.projectId ? -1 : 1));
    for (const { projectId, role } of inOrder) {
      const project = await this.projects.lock(tx, projectId);
      requireShared(project, ALONE);
      await this.changes.add(tx, operator, { projectId: project.id, userId }, role);
    }
  }

  /**
   * Changes the role of a member.
   *
   * @throws NotFoundError, ForbiddenError
   * @throws ConflictError if the project would have no owner, or a group makes the person a member
   */
  async update(caller: UserPrincipal, projectId: string, userId: string, role: Role): Promise<Member> {
    projectFor(ownReachOf(caller), projectId);
    return this.database.people.transaction(async (tx) => {
      const previous = await this.lockDirect(tx, projectId, userId);
      if (previous !== role) {
        if (previous === 'owner') await this.requireOwnerBeside(tx, projectId, userId);
        await this.changes.setRole(tx, caller, { projectId, userId }, role, previous);
      }
      return (await this.members.find(tx, projectId, userId))!;
    }, caller.userId);
  }

  /**
   * Removes a member. Members of every role may leave.
   *
   * @throws NotFoundError, ForbiddenError
   * @throws ConflictError if the project would have no owner, or a group makes the person a member
   */
  async remove(caller: UserPrincipal, projectId: string, userId: string): Promise<void> {
    const reach = ownReachOf(caller);
    const leaves = userId === caller.userId && reach.projectIds.includes(projectId);
    if (!leaves) projectFor(reach, projectId);
    await this.database.people.transaction(async (tx) => {
      const role = await this.lockDirect(tx, projectId, userId);
      if (role === 'owner') await this.requireOwnerBeside(tx, projectId, userId);
      await this.changes.remove(tx, caller, { projectId, userId }, role);
    }, caller.userId);
  }

  /** Locks the project, so that its members change one after the other. @returns the person's role */
  private async lockDirect(tx: Transaction, projectId: string, userId: string): Promise<Role> {
    requireShared(await this.projects.lock(tx, projectId), ALONE);
    const role = await this.members.directRole(tx, projectId, userId);
    if (role !== null) return role;
    if (!(await this.members.find(tx, projectId, userId))) throw new NotFoundError('Member');
    throw new ConflictError(
      'member_by_group',
      "This person is a member because of a group of the identity provider: change the group, or the project's " +
        'groups',
    );
  }

  private async requireOwnerBeside(tx: Transaction, projectId: string, userId: string): Promise<void> {
    if (await this.members.hasOwnerBeside(tx, projectId, userId)) return;
    throw new ConflictError(
      'last_owner',
      "The last owner of a project can't leave or get a lower role: add another owner first",
    );
  }
}
