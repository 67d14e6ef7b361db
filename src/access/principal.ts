import type { RequestOrigin } from './request-origin.js';
import { isAtLeast, type Role, roleFor } from './roles.js';
import type { RouteScope, Scope } from './scopes.js';

/** A project in which the caller has a role. */
export interface Membership {
  readonly projectId: string;
  readonly role: Role;
}

/** A person, authenticated by an access token or a user API key, or a project's own key. */
export interface UserPrincipal {
  readonly kind: 'user';
  /** The account; for a key of a project, the project's id. */
  readonly userId: string;
  /** An operator, with an access token or with a key that was made for everybody. */
  readonly isAdmin: boolean;
  readonly credential: 'token' | 'api_key' | 'project_key';
  /** The id of the calling API key; null for an access token. */
  readonly keyId: string | null;
  readonly scopes: readonly Scope[];
  /** The session of an access token; null for an API key. */
  readonly sessionId: string | null;
  readonly origin: RequestOrigin;
  /** The caller's projects, the personal one first. */
  readonly memberships: readonly Membership[];
  /** The scope that the called route asks of the caller's role in a project; null: the route reaches no project. */
  readonly asks: RouteScope | null;
}

/** A person, authenticated by an access token. */
export interface SessionPrincipal extends UserPrincipal {
  readonly sessionId: string;
}

/** An agent's runtime, authenticated by one of the agent's API keys. */
export interface AgentPrincipal {
  readonly kind: 'agent';
  readonly agentId: string;
  /** The agent's project when its key was looked up: a handover may have changed it since. The locked row knows. */
  readonly projectId: string;
}

export type Principal = UserPrincipal | AgentPrincipal;

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

/**
 * The actor of a change, as histories and the audit log record it: `user:<id>`, `key:<id>`, `agent:<id>`, `schedule:<id>`,
 * `budget:<id>` or `monitor`.
 */
export type Actor =
  | `user:${string}`
  | `key:${string}`
  | `agent:${string}`
  | `schedule:${string}`
  | `budget:${string}`
  | 'monitor';

type Acting =
  Pick<UserPrincipal, 'kind' | 'userId' | 'credential' | 'keyId'> | Pick<AgentPrincipal, 'kind' | 'agentId'>;

/** The actor of what a principal does: an act by an API key is the key's, so that the acts of a leaked key can be found. */
export function actorOf(principal: Acting): Actor {
  if (principal.kind === 'agent') return `agent:${principal.agentId}`;
  return principal.keyId === null ? `user:${principal.userId}` : `key:${principal.keyId}`;
}

/**
 * The identity that rules compare: a person is the same one with each of their sessions and keys. A key of a project
 * belongs to no person.
 */
export function identityOf(principal: Acting): Actor {
  return principal.kind === 'user' && principal.credential !== 'project_key'
    ? `user:${principal.userId}`
    : actorOf(principal);
}
