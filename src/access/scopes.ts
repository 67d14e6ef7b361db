/**
 * The scopes that routes ask for, of the caller's role in the project and of the calling key: `agents` to create, change and
 * delete agents; `deploy` to deploy, scale, stop, restart and kill; `approve` to
 * decide what agents ask before they act; `reports` for inbound reports; `keys` for the keys of
 * a project and of its agents; `members` to change a project and its members; `budgets` to limit what agents may use; `metrics` for `GET /metrics` alone.
 */
const ROUTE_SCOPES = [
  'read',
  'agents',
  'deploy',
  'approve',
  'reports',
  'webhooks',
  'keys',
  'members',
  'budgets',
  'metrics',
] as const;

export type RouteScope = (typeof ROUTE_SCOPES)[number];

/** `*` stands for every scope, also for those that a later version adds, but for those of {@link BY_NAME}. */
export const ALL_SCOPES = '*';

/** Scopes that a key has by name alone: with `*` a leaked key must not be able to approve what an agent asks. */
const BY_NAME: readonly RouteScope[] = ['approve'];

/** The scopes of a person who is logged in: all. */
export const SCOPES_OF_PEOPLE = [ALL_SCOPES, 'approve'] as const;

/** A scope of a user API key. No key has `keys`: a leaked one must not be able to create more. */
export type Scope = Exclude<RouteScope, 'keys'> | typeof ALL_SCOPES;

export const SCOPES: readonly Scope[] = [ALL_SCOPES, ...ROUTE_SCOPES.filter((scope) => scope !== 'keys')];

export function grants(scopes: readonly Scope[], asked: RouteScope): boolean {
  return (
    (scopes.includes(ALL_SCOPES) && !BY_NAME.includes(asked)) ||
    (scopes as readonly RouteScope[]).includes(asked)
  );
}
