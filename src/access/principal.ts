import type { RequestOrigin } from './request-origin.js';
import type { Role } from './roles.js';
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
