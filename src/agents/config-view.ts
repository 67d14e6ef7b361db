import type { UserPrincipal } from '../access/principal.js';
import { isAtLeast, roleFor } from '../access/roles.js';
import { grants } from '../access/scopes.js';
import { ForbiddenError } from '../errors/domain-error.js';
import type { ConfigView } from './agent.types.js';

type ConfigReader = Pick<UserPrincipal, 'isAdmin' | 'scopes' | 'memberships'>;

/** A config of this project as its caller sees it, in a request that doesn't ask for secrets. */
function usualView(caller: ConfigReader, projectId: string): ConfigView {
  if (!grants(caller.scopes, 'read')) return 'none';
  if (!isMember(caller, projectId)) return 'foreign';
  return grants(caller.scopes, 'agents') && mayChangeAgents(caller, projectId) ? 'usual' : 'masked';
}

/** A config as a caller sees it in a list: no secret at all. */
export function listedView(caller: ConfigReader, projectId: string): ConfigView {
  return isMember(caller, projectId) ? 'masked' : 'foreign';
}

/** A config as a caller sees it. @param reveals true: the request asks for its secrets, and may */
export function viewFor(caller: ConfigReader, projectId: string, reveals = false): ConfigView {
  return reveals ? 'revealed' : usualView(caller, projectId);
}

/**
 * Checks that the caller may have the secrets of a config of this project: whoever may change it, and operators.
 *
 * @throws ForbiddenError
 */
export function assertMayReveal(caller: ConfigReader, projectId: string): void {
  if (!grants(caller.scopes, 'agents')) throw new ForbiddenError('missing_scope', 'Missing scope: agents');
  if (!caller.isAdmin && !mayChangeAgents(caller, projectId))
    throw new ForbiddenError('missing_role', `Missing role: ${roleFor('agents')}`);
}

/** Operators read agents of projects in which they have no role. */
function isMember({ memberships }: ConfigReader, projectId: string): boolean {
  return memberships.some((it) => it.projectId === projectId);
}

function mayChangeAgents({ memberships }: ConfigReader, projectId: string): boolean {
  return memberships.some((it) => it.projectId === projectId && isAtLeast(it.role, roleFor('agents')));
}
