import type { UserPrincipal } from './principal.js';
import { isAtLeast, type Role, roleFor } from './roles.js';

/** The projects whose resources a call may reach. */
export interface ProjectsReach {
  readonly kind: 'projects';
  /** The projects that the caller sees. A resource of any other project does not exist for the caller. */
  readonly projectIds: readonly string[];
  /** The projects in which the caller's role allows the call; in the others a resource is refused with a 403. */
  readonly allowed: ReadonlySet<string>;
  /** The lowest role that would allow the call. */
  readonly asked: Role;
}

/** The projects whose resources a call may reach: some, or all. */
export type Reach = ProjectsReach | { readonly kind: 'everybody' };

/**
 * The reach of a caller who reads, stops or deletes by an id: an operator reaches the resources of all projects. Lists
 * and all other changes are only for members. No other code gives a caller the reach of an operator.
 */
export function reachOf(caller: UserPrincipal): Reach {
  return caller.isAdmin ? { kind: 'everybody' } : ownReachOf(caller);
}

/**
 * The reach of the caller's own projects only, even for an operator.
 *
 * @throws an error on a route without a scope: it would be open to every role
 */
export function ownReachOf({ memberships, asks }: UserPrincipal): ProjectsReach {
  if (asks === null) throw new Error('The route declares no scope, so it reaches no project');
  const asked = roleFor(asks);
  const allowed = memberships.filter(({ role }) => isAtLeast(role, asked));
  return {
    kind: 'projects',
    projectIds: memberships.map(({ projectId }) => projectId),
    allowed: new Set(allowed.map(({ projectId }) => projectId)),
    asked,
  };
}

/** The projects within a reach, for the condition of a statement; null: no condition, because all are within it. */
export function projectIdsOf(reach: Reach): readonly string[] | null {
  return reach.kind === 'projects' ? reach.projectIds : null;
}
