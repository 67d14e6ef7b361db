import { Injectable } from '@nestjs/common';
import { PresenceService } from '../agents/presence.service.js';
import { ApiKeysService } from '../api-keys/api-keys.service.js';
import { OverloadedError } from '../errors/domain-error.js';
import { type Refusal, Refusals } from '../http/refusals.js';
import { presentedCredential } from './presented-credential.js';

/**
 * A refusal of ours is nobody's silence. A runtime whose call was refused (too many at once, a body that could not be
 * read, the database away) is alive all the same, so the call counts as a sign of life. Where the runtime can't be
 * named without asking the database, the service counts as deaf for the moment.
 */
@Injectable()
export class RefusedRuntimes {
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
    } else if (error instanceof OverloadedError) {
      // Anybody can write down something that looks like a key, but only many addresses together fill all places.
      if (error.isGeneral) this.presence.recordDeafness();
    } else {
      void this.lookUp(credential.text);
    }
  }

  private async lookUp(key: string): Promise<void> {
    try {
      const holder = await this.apiKeys.authenticate(key);
      if (holder?.kind === 'agent') this.presence.markSeen(holder.agentId);
    } catch {
      // The database is not there either: the caller stays unknown.
    }
  }
}
