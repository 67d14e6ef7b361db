import { Injectable } from '@nestjs/common';
import type { RequestOrigin } from '../access/request-origin.js';
import { PresenceService } from '../agents/presence.service.js';
import { ApiKeysService } from '../api-keys/api-keys.service.js';
import { TooManyConcurrentRequestsError } from '../http/concurrent-requests.js';
import { type Refusal, Refusals } from '../http/refusals.js';
import { originOf } from '../http/request-origin.js';
import { presentedCredential } from './presented-credential.js';

/**
 * Records a refused call of a runtime as a call of its agent, so that an overloaded service doesn't declare its agents
 * lost. The runtime is alive although its call was refused (too many at once, an unreadable body, an unreachable
 * database). If it can't be identified without a query, `service_deafness.deaf_at` is set, which counts as a call of
 * every agent.
 */
@Injectable()
export class RefusedRuntimesService {
  constructor(
    refusals: Refusals,
    private readonly apiKeys: ApiKeysService,
    private readonly presence: PresenceService,
  ) {
    refusals.onRefused((refusal) => this.note(refusal));
  }

  private note({ request, error, status }: Refusal): void {
    if (status === 401) return;
    const credential = presentedCredential(request.headers);
    if (credential?.sentAs !== 'bearer' || this.apiKeys.kindOf(credential.text) !== 'agent') return;
    const known = this.apiKeys.knownHolder(credential.text);
    if (known?.kind === 'agent') {
      this.presence.markSeen(known.agentId);
    } else if (error instanceof TooManyConcurrentRequestsError) {
      // A caller can invent texts in the form of a key, but only many addresses together reach the general limit.
      if (error.isGeneral) this.presence.recordDeafness();
    } else {
      void this.lookUp(credential.text, () => originOf(request, request.res));
    }
  }

  private async lookUp(key: string, origin: () => RequestOrigin): Promise<void> {
    try {
      const holder = await this.apiKeys.authenticate(key, origin);
      if (holder?.kind === 'agent') this.presence.markSeen(holder.agentId);
    } catch {
      // The database is unreachable too, so the caller stays unknown.
    }
  }
}
