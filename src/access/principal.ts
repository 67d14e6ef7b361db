import type { RequestOrigin } from './request-origin.js';
import type { Scope } from './scopes.js';

/** A person, authenticated by an access token or a user API key. */
export interface UserPrincipal {
  readonly kind: 'user';
  readonly userId: string;
  readonly isAdmin: boolean;
  readonly credential: 'token' | 'api_key';
  /** The user API key that calls; null for an access token. */
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

/** The owner whose resources are meant, by their id; {@link ANYBODY} where it does not matter whose they are. */
export type Owner = string | null;
export const ANYBODY: Owner = null;

/**
 * The owner whose resources a caller may read, stop and delete by their ids: operators reach anybody's. Lists and all
 * other changes are for owners alone.
 */
export function reachOf(caller: UserPrincipal): Owner {
  return caller.isAdmin ? ANYBODY : caller.userId;
}

/** The actor of a change, as the history records it: `user:<id>`, `agent:<id>` or `monitor`. */
export type Actor = `user:${string}` | `agent:${string}` | 'monitor';

export function actorOf(principal: Principal): Actor {
  return principal.kind === 'user' ? `user:${principal.userId}` : `agent:${principal.agentId}`;
}
