import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { AuthenticatedRequest } from '../access/caller.js';
import type { AgentPrincipal } from '../access/principal.js';
import { requestOf } from '../access/http-context.js';
import type { RouteAccess } from '../access/route-access.js';
import type { ApiKeyHolder } from '../api-keys/api-key.types.js';
import { ApiKeysService } from '../api-keys/api-keys.service.js';
import { ForbiddenError, UnauthenticatedError } from '../errors/domain-error.js';
import { originOf } from '../http/request-origin.js';
import { isUuid } from '../http/uuid-param.js';
import { declaredAccess } from '../access/declared-access.js';
import { presentedCredential } from './presented-credential.js';

/** Authenticates runtimes by a key of their agent. The keys of a deleted agent are deleted with it. */
@Injectable()
export class AgentGuard implements CanActivate {
  constructor(private readonly apiKeys: ApiKeysService) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const access = declaredAccess(context);
    if (access?.callers !== 'agent' && access?.callers !== 'agent-or-user') return true;
    return this.admit(context, access);
  }

  private async admit(context: ExecutionContext, access: RuntimesRoute): Promise<boolean> {
    const request = requestOf<RuntimeRequest>(context);
    const credential = presentedCredential(request.headers);
    if (credential?.sentAs !== 'bearer' || this.apiKeys.kindOf(credential.text) !== 'agent') {
      // On a route for both kinds, the user guard has checked every credential that isn't an agent's key.
      if (access.callers === 'agent-or-user') return true;
      throw new UnauthenticatedError();
    }
    const origin = () => originOf(request, request.res);
    const identify = async () => agentOf(await this.apiKeys.authenticate(credential.text, origin));
    const agent = await identify();
    // Set before the refusals below, so that the audit log has their caller.
    request.principal = agent;
    if (namesAnotherAgent(request, agent.agentId))
      throw new ForbiddenError('agent_mismatch', 'Agent ID mismatch');
    request.recheck = async () => void (await identify());
    return true;
  }
}

type RuntimeRequest = Request & AuthenticatedRequest;

function agentOf(holder: ApiKeyHolder | null): AgentPrincipal {
  if (holder?.kind !== 'agent') throw new UnauthenticatedError();
  return holder;
}

type RuntimesRoute = Extract<RouteAccess, { callers: 'agent' | 'agent-or-user' }>;

/**
 * Returns true if the request names an agent other than the caller in its path, query or body. It is refused here, for
 * all routes. A value that is no identifier is refused by the route's validation instead.
 */
function namesAnotherAgent({ params, query, body }: Request, agentId: string): boolean {
  return isOther(params, agentId) || isOther(query, agentId) || isOther(body, agentId);
}

function isOther(place: unknown, agentId: string): boolean {
  const named = (place as { agent_id?: unknown } | undefined)?.agent_id;
  return isUuid(named) && named.toLowerCase() !== agentId;
}
