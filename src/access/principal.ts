import type { RequestOrigin } from './request-origin.js';
import type { Scope } from './scopes.js';

/** A person, authenticated by an access token or a user API key. */
export interface UserPrincipal {
  readonly kind: 'user';
  readonly userId: string;
  readonly isAdmin: boolean;
  readonly credential: 'token' | 'api_key';
  /** The id of the calling user API key; null for an access token. */
  readonly keyId: string | null;
  readonly scopes: readonly Scope[];
  /** The session of an access token; null for an API key. */
  readonly sessionId: string | null;
  readonly origin: RequestOrigin;
}

/** A person, authenticated by an access token. */
export interface SessionPrincipal extends UserPrincipal {
  readonly sessionId: string;
}

/** An agent's runtime, authenticated by one of the agent's API keys. */
export interface AgentPrincipal {
  readonly kind: 'agent';
  readonly agentId: string;
  /** The agent's owner. */
  readonly userId: string;
}

export type Principal = UserPrincipal | AgentPrincipal;

/** The owners whose resources a call may reach: one owner, or all. */
export type Reach = { readonly kind: 'owner'; readonly ownerId: string } | { readonly kind: 'everybody' };

/**
 * The reach of a caller who reads, stops or deletes by an id: an operator reaches the resources of all owners. Lists
 * and all other changes are only for owners. No other code gives a caller the reach of an operator.
 */
export function reachOf(caller: UserPrincipal): Reach {
  return caller.isAdmin ? { kind: 'everybody' } : ownReachOf(caller);
}

/** The reach of the caller's own resources only, even for an operator. */
export function ownReachOf(caller: UserPrincipal): Reach {
  return { kind: 'owner', ownerId: caller.userId };
}

/** The actor of a change, as the history records it: `user:<id>`, `agent:<id>` or `monitor`. */
export type Actor = `user:${string}` | `agent:${string}` | 'monitor';

export function actorOf(principal: Principal): Actor {
  return principal.kind === 'user' ? `user:${principal.userId}` : `agent:${principal.agentId}`;
}
