import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';

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
  /** People: an access token, or a user API key unless `tokenOnly`. `operator` asks for `is_admin` too. */
  | { readonly callers: 'user'; readonly tokenOnly: boolean; readonly operator: boolean }
  /** Runtimes: an agent API key. `bulk`: a large request, which is counted apart from heartbeats and polls. */
  | { readonly callers: 'agent'; readonly bulk: boolean }
  /** `POST /agents/register` alone: an agent key updates that agent, a person's credential enrols a new one. */
  | { readonly callers: 'agent-or-user' };

/** Any of these is a person's credential. */
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

export const UserRoute = (options: { tokenOnly?: boolean; operator?: boolean } = {}) =>
  declare(
    { callers: 'user', tokenOnly: options.tokenOnly ?? false, operator: options.operator ?? false },
    options.tokenOnly ? [SECURITY_SCHEMES.accessToken] : USER_SCHEMES,
  );

export const AgentRoute = (options: { bulk?: boolean } = {}) =>
  declare({ callers: 'agent', bulk: options.bulk ?? false }, [SECURITY_SCHEMES.agentApiKey]);

export const EnrolmentRoute = () =>
  declare({ callers: 'agent-or-user' }, [SECURITY_SCHEMES.agentApiKey, ...USER_SCHEMES]);
