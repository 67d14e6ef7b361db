import { type Role, useProjects } from '../api/projects.js';
import { useSession } from '../api/session.js';

/** Roles of the members of a project, lowest first. */
export const ROLES: readonly Role[] = ['viewer', 'deployer', 'maintainer', 'owner'];

/** Changes in a project, by the least role that may make them. The service decides: docs/projects.md. */
export const NEEDED = {
  deploy: 'deployer',
  approve: 'deployer',
  agents: 'maintainer',
  webhooks: 'maintainer',
  keys: 'maintainer',
  members: 'owner',
  budgets: 'owner',
} as const satisfies Record<string, Role>;

export type Scope = keyof typeof NEEDED;

/** Roles that are at most the other one. */
export const rolesUpTo = (role: Role): readonly Role[] => ROLES.slice(0, ROLES.indexOf(role) + 1);

/** The reason why a role does not allow something; null: it does. */
export function refusalOf(role: Role, scope: Scope): string | null {
  return rolesUpTo(role).includes(NEEDED[scope]) ? null : `Needs the role ${NEEDED[scope]}`;
}

export interface RefusalOptions {
  /** True: operators may do it in every project. */
  readonly isForOperators?: boolean;
}

/**
 * Finds the reason why the user's role in a project does not allow something; null if it does. It is also null while the
 * role is unknown: the service refuses then.
 */
export type Refusals = (
  projectId: string | undefined,
  scope: Scope,
  options?: RefusalOptions,
) => string | null;

export function useRefusals(): Refusals {
  const { data: projects } = useProjects();
  const isOperator = useSession().data?.is_admin === true;
  return (projectId, scope, { isForOperators = false } = {}) => {
    const role = projects?.find(({ id }) => id === projectId)?.role;
    if (!role || (isOperator && isForOperators)) return null;
    return refusalOf(role, scope);
  };
}
