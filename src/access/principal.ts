import type { Scope } from './scopes.js';

/** Address and identifier of a request, as the audit log records them. */
export interface RequestOrigin {
  /** The caller's IP address; empty if the connection is closed already. */
  readonly address: string;
  /** The request's `X-Request-Id`. */
  readonly requestId: string;
}

/** A person, authenticated by an access token or a user API key. */
export interface UserPrincipal {
  readonly kind: 'user';
  readonly userId: string;
  readonly isAdmin: boolean;
  readonly credential: 'token' | 'api_key';
  /** The user API key that calls; null for an access token. */
  readonly keyId: string | null;
  readonly scopes: readonly Scope[];
  readonly origin: RequestOrigin;
}

/** An agent's runtime, authenticated by one of the agent's API keys. */
export interface AgentPrincipal {
  readonly kind: 'agent';
  readonly agentId: string;
  /** The agent's owner. */
  readonly userId: string;
}

export type Principal = UserPrincipal | AgentPrincipal;

/** The actor of a change, as the history records it: `user:<id>`, `agent:<id>` or `monitor`. */
export type Actor = `user:${string}` | `agent:${string}` | 'monitor';

export function actorOf(principal: Principal): Actor {
  return principal.kind === 'user' ? `user:${principal.userId}` : `agent:${principal.agentId}`;
}
