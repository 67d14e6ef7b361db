import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import type { AuthenticatedRequest } from '../access/caller.js';
import type { AgentPrincipal } from '../access/principal.js';
import { PresenceService } from '../agents/presence.service.js';
import { ApiKeysService } from '../api-keys/api-keys.service.js';
import { ForbiddenError, UnauthenticatedError } from '../errors/domain-error.js';
import { isUuid } from '../http/uuid-param.js';
import { declaredAccess } from './declared-access.js';
import { presentedCredential } from './presented-credential.js';

/** Lets runtimes through, known by a key of their agent. A deleted agent's keys are gone with it. */
@Injectable()
export class AgentGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly apiKeys: ApiKeysService,
    private readonly presence: PresenceService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = declaredAccess(this.reflector, context);
    if (access?.callers !== 'agent' && access?.callers !== 'agent-or-user') return true;
    const request = context.switchToHttp().getRequest<Request & AuthenticatedRequest>();
    const credential = presentedCredential(request.headers);
    if (credential?.sentAs !== 'bearer' || this.apiKeys.kindOf(credential.text) !== 'agent') {
      // Where people may call too, whatever is no agent's key has been judged by their guard.
      if (access.callers === 'agent-or-user') return true;
      throw new UnauthenticatedError();
    }
    const holder = await this.admit(credential.text);
    this.noteRefusal(context.switchToHttp().getResponse<Response>(), holder.agentId);
    if (namesAnotherAgent(request, holder.agentId)) throw new ForbiddenError('Agent ID mismatch');
    request.principal = holder;
    request.recheck = async () => {
      await this.admit(credential.text);
    };
    return true;
  }

  /** A call that is carried out is noted by whoever does it. One that is refused shows just as well that the agent lives. */
  private noteRefusal(response: Response, agentId: string): void {
    response.once('finish', () => {
      const { statusCode } = response;
      if (statusCode >= 400 && statusCode !== 401) void this.presence.seen(agentId);
    });
  }

  private async admit(key: string): Promise<AgentPrincipal> {
    const holder = await this.apiKeys.authenticate(key);
    if (holder?.kind !== 'agent') throw new UnauthenticatedError();
    return holder;
  }
}

/**
 * Runtimes may name themselves in path, query or body. Naming another agent is refused here, once for all routes;
 * what is no identifier at all is for the route's validation to refuse.
 */
function namesAnotherAgent({ params, query, body }: Request, agentId: string): boolean {
  const places: readonly unknown[] = [params, query, body];
  return places.some((place) => {
    const named = (place as { agent_id?: unknown } | undefined)?.agent_id;
    return isUuid(named) && named.toLowerCase() !== agentId;
  });
}
