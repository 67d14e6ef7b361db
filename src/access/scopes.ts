/**
 * The scopes that routes ask for, of the caller's role in the project and of the calling key: `agents` to create, change and
 * delete agents; `deploy` to deploy, scale, stop, restart and kill; `reports` for inbound reports; `keys` for the keys of
 * a project and of its agents; `members` to change a project and its members; `budgets` to limit what agents may use; `metrics` for `GET /metrics` alone.
 */
const ROUTE_SCOPES = [
  'read',
  'agents',
  'deploy',
  'reports',
  'webhooks',
  'keys',
  'members',
  'budgets',
  'metrics',
] as const;

export type RouteScope = (typeof ROUTE_SCOPES)[number];

/** `*` stands for every scope, also for those that a later version adds. */
export const ALL_SCOPES = '*';

/** A scope of a user API key. No key has `keys`: a leaked one must not be able to create more. */
export type Scope = Exclude<RouteScope, 'keys'> | typeof ALL_SCOPES;

export const SCOPES: readonly Scope[] = [ALL_SCOPES, ...ROUTE_SCOPES.filter((scope) => scope !== 'keys')];

export function grants(scopes: readonly Scope[], asked: RouteScope): boolean {
  return scopes.includes(ALL_SCOPES) || (scopes as readonly RouteScope[]).includes(asked);
}
