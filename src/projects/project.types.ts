import type { Membership } from '../access/principal.js';
import type { Role } from '../access/roles.js';
import type { ProjectGroupEntity } from './project-group.entity.js';
import type { MembershipSource } from './project-member.entity.js';
import type { ProjectEntity } from './project.entity.js';
import type { TwoApproversFor } from './two-approvers.js';

/** A project as it is stored. */
export type StoredProject = Readonly<
  Pick<ProjectEntity, 'id' | 'name' | 'isPersonal' | 'twoApproversFor' | 'createdAt' | 'updatedAt'>
>;

/** A project as a person sees it. */
export interface Project extends StoredProject {
  /** The reader's role; null: an operator who is no member. */
  readonly role: Role | null;
}

/** A group of the identity provider, and the role that it gives in a project. */
export type GroupRole = Readonly<Pick<ProjectGroupEntity, 'groupName' | 'role'>>;

export interface ProjectDetail extends Project {
  readonly groups: readonly GroupRole[];
}

/** Undefined keeps the value. */
export interface ProjectChange {
  readonly name?: string;
  readonly twoApproversFor?: TwoApproversFor | null;
  readonly groups?: readonly GroupRole[];
}

export interface ProjectFilter {
  /** Part of the name. */
  readonly q?: string;
  /** True: those of everybody, for operators. */
  readonly all?: boolean;
}

/** A person's membership, the one with the higher role if they have two. */
export interface Member {
  readonly userId: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  readonly source: MembershipSource;
  readonly addedBy: string | null;
  readonly createdAt: string;
}

export interface TimedMembership extends Membership {
  /** Milliseconds until a membership by a group ends; null: a direct one. */
  readonly endsInMs: number | null;
}

export interface RoleInProject {
  readonly projectId: string;
  readonly role: Role;
}

/** The role that a group gives in a project. */
export type RoleByGroup = RoleInProject & GroupRole;

export interface NewMember {
  /** The email in its canonical form. */
  readonly email: string;
  readonly role: Role;
}
