import type { ProjectsReach, Reach } from '../access/reach.js';
import type { UserPrincipal } from '../access/principal.js';
import { ForbiddenError, NotFoundError } from '../errors/domain-error.js';

/**
 * A resource that was looked up within a reach, for a call that the caller's role in its project allows.
 *
 * @param found null: there is none within the reach
 * @throws NotFoundError, ForbiddenError
 */
export function reached<Found extends { readonly projectId: string }>(
  reach: Reach,
  found: Found | null | undefined,
  resource: string,
): Found {
  if (!found) throw new NotFoundError(resource);
  if (reach.kind === 'projects') requireRole(reach, found.projectId);
  return found;
}

/**
 * The project of a new resource: the one that the request names, else the first of the caller's, which is the personal
 * one or that of the calling key.
 *
 * @throws NotFoundError, ForbiddenError
 */
export function projectFor(reach: ProjectsReach, named: string | undefined): string {
  const projectId = named ?? reach.projectIds[0]!;
  if (!reach.projectIds.includes(projectId)) throw new NotFoundError('Project');
  requireRole(reach, projectId);
  return projectId;
}

/**
 * The projects of a list: the one that the request names, else all of the caller's. An operator may name any.
 *
 * @throws NotFoundError
 */
export function projectsFor(
  { isAdmin, memberships }: UserPrincipal,
  named: string | undefined,
): readonly string[] {
  const own = memberships.map(({ projectId }) => projectId);
  if (named === undefined) return own;
  if (!isAdmin && !own.includes(named)) throw new NotFoundError('Project');
  return [named];
}

function requireRole({ allowed, asked }: ProjectsReach, projectId: string): void {
  if (!allowed.has(projectId)) throw new ForbiddenError('missing_role', `Missing role: ${asked}`);
}
