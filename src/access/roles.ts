import type { RouteScope } from './scopes.js';

/** Roles of the members of a project, lowest first. */
export const ROLES = ['viewer', 'deployer', 'maintainer', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** The scopes that each role adds to the role below it. Keys have the same scopes, so that one check serves both. */
const ADDED: Readonly<Record<Role, readonly RouteScope[]>> = {
  viewer: ['read'],
  deployer: ['deploy', 'approve', 'reports'],
  maintainer: ['agents', 'webhooks', 'keys'],
  owner: ['members', 'budgets'],
};

/** The lowest role that grants a scope. `metrics` needs none: it belongs to no project. */
export function roleFor(scope: RouteScope): Role {
  return ROLES.find((role) => ADDED[role].includes(scope)) ?? 'viewer';
}

/** Returns true if a role is the other one, or above it. */
export function isAtLeast(role: Role, other: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(other);
}
