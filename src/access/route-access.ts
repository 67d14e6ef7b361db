import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';
import type { RouteScope } from './scopes.js';

/** Metadata key of a route's declared callers. A route without it is refused. */
export const ROUTE_ACCESS = 'route-access';

/** Names of the security schemes in the OpenAPI document. */
export const SECURITY_SCHEMES = {
  accessToken: 'access_token',
  userApiKey: 'user_api_key',
  userApiKeyHeader: 'user_api_key_header',
  agentApiKey: 'agent_api_key',
} as const;

export type RouteAccess =
  /** Everyone, without a credential. */
  | { readonly callers: 'public' }
  /**
   * People: an access token, or a user API key with `scope` unless `tokenOnly`. `operator` asks for `is_admin` too.
   * `scope` is also what the caller's role in a project has to grant. The application does not start if a route has
   * none, unless it is `personal` (about the caller's account alone) or for operators, and for tokens only; or a `gateway`,
   * through which other routes are called that check each call.
   */
  | {
      readonly callers: 'user';
      readonly tokenOnly: boolean;
      readonly operator: boolean;
      readonly personal: boolean;
      readonly gateway: boolean;
      readonly scope: RouteScope | undefined;
    }
  /** Runtimes: an agent API key. `bulk`: a large request, which is counted separately from heartbeats and polls. */
  | { readonly callers: 'agent'; readonly bulk: boolean }
  /**
   * `POST /agents/register` alone: an agent key updates that agent, a person's credential enrols a new one. A user API
   * key needs `scope` for it.
   */
  | { readonly callers: 'agent-or-user'; readonly scope: RouteScope };

/** Names of the schemes for a person's credential. */
export const USER_SCHEMES: readonly string[] = [
  SECURITY_SCHEMES.accessToken,
  SECURITY_SCHEMES.userApiKey,
  SECURITY_SCHEMES.userApiKeyHeader,
];

function declare(access: RouteAccess, schemes: readonly string[]) {
  return applyDecorators(
    SetMetadata(ROUTE_ACCESS, access),
    ...schemes.map((scheme) => ApiSecurity({ [scheme]: [] })),
  );
}

export const Public = () => declare({ callers: 'public' }, []);

/**
 * @param options `scope`: the right that a user API key and a role need, which the document shows as `x-scope`;
 * `personal`: a route about the caller's account, which reaches no project; `gateway`: a route that calls other routes for the
 * caller, and reaches no project itself
 */
export const UserRoute = (options: {
  tokenOnly?: boolean;
  operator?: boolean;
  personal?: boolean;
  gateway?: boolean;
  scope?: RouteScope;
}) =>
  applyDecorators(
    declare(
      {
        callers: 'user',
        tokenOnly: options.tokenOnly ?? false,
        operator: options.operator ?? false,
        personal: options.personal ?? false,
        gateway: options.gateway ?? false,
        scope: options.scope,
      },
      options.tokenOnly ? [SECURITY_SCHEMES.accessToken] : USER_SCHEMES,
    ),
    ...(options.scope ? [ApiExtension('x-scope', options.scope)] : []),
  );

export const AgentRoute = (options: { bulk?: boolean } = {}) =>
  declare({ callers: 'agent', bulk: options.bulk ?? false }, [SECURITY_SCHEMES.agentApiKey]);

export const EnrolmentRoute = () =>
  applyDecorators(
    declare({ callers: 'agent-or-user', scope: 'agents' }, [SECURITY_SCHEMES.agentApiKey, ...USER_SCHEMES]),
    ApiExtension('x-scope', 'agents'),
  );
