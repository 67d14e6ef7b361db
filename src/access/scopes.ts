/**
 * Rights that a user API key may have. Each user route that a key opens asks for one of them: `agents` to create, change
 * and delete agents; `deploy` to deploy, scale, stop, restart and kill; `reports` for inbound reports; `metrics` for
 * `GET /metrics` alone.
 */
const ROUTE_SCOPES = ['read', 'agents', 'deploy', 'reports', 'webhooks', 'metrics'] as const;

export type RouteScope = (typeof ROUTE_SCOPES)[number];

/** `*` stands for every scope, also for those that a later version adds. */
export const ALL_SCOPES = '*';

export type Scope = RouteScope | typeof ALL_SCOPES;

export const SCOPES: readonly Scope[] = [ALL_SCOPES, ...ROUTE_SCOPES];

export function grants(scopes: readonly Scope[], asked: RouteScope): boolean {
  return scopes.includes(ALL_SCOPES) || scopes.includes(asked);
}
