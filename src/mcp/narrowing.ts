import type { IncomingHttpHeaders } from 'node:http';
import { InvalidError } from '../errors/domain-error.js';
import type { UserPrincipal } from '../access/principal.js';
import { isAtLeast, roleFor } from '../access/roles.js';
import { grants, type RouteScope } from '../access/scopes.js';
import { type Effect, TOOLSETS, type Toolset } from './tools.js';

/** The tools that the headers of a request permit. They only narrow what scopes and roles allow. */
export interface Narrowing {
  readonly readonly: boolean;
  readonly toolsets: readonly string[];
}

/** @throws InvalidError for a value that is not known: it must not leave more tools than was meant */
export function narrowingOf(headers: IncomingHttpHeaders): Narrowing {
  return {
    readonly: isReadonly(
      String(headers['x-mcp-readonly'] ?? 'false')
        .trim()
        .toLowerCase(),
    ),
    toolsets: toolsetsOf(headers['x-mcp-toolsets']),
  };
}

function isReadonly(given: string): boolean {
  if (given !== 'true' && given !== 'false')
    throw InvalidError.of('X-MCP-Readonly', 'unknown_value', 'X-MCP-Readonly must be true or false');
  return given === 'true';
}

function toolsetsOf(given: string | string[] | undefined): readonly string[] {
  if (given === undefined) return TOOLSETS;
  const named = String(given)
    .split(',')
    .map((name) => name.trim().toLowerCase());
  const unknown = named.find((name) => !(TOOLSETS as readonly string[]).includes(name));
  if (unknown !== undefined) {
    const message = `X-MCP-Toolsets names ${JSON.stringify(unknown)}: the toolsets are ${TOOLSETS.join(', ')}`;
    throw InvalidError.of('X-MCP-Toolsets', 'unknown_value', message);
  }
  return named;
}

/**
 * Returns true if the caller may call the tool somewhere: by the key's scopes, and by the role in at least one project. The call
 * itself is checked by its route.
 */
export function isListed(
  {
    scope,
    toolset,
    effect,
  }: { readonly scope: RouteScope; readonly toolset: Toolset; readonly effect: Effect },
  { scopes, memberships }: UserPrincipal,
  { readonly, toolsets }: Narrowing,
): boolean {
  const isAllowed = grants(scopes, scope) && memberships.some(({ role }) => isAtLeast(role, roleFor(scope)));
  return isAllowed && toolsets.includes(toolset) && !(readonly && effect !== 'read');
}
