import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../../config/injection-tokens.js';
import { Database } from '../../database/database.js';
import { ForbiddenError } from '../../errors/domain-error.js';
import { GroupMembershipsService } from '../../projects/group-memberships.service.js';
import { IdentityProvider } from './identity-provider.js';
import { ProviderGrantsService, type RefreshedSession, type TakenGrant } from './provider-grants.service.js';
import type { ConfirmedGroups } from './sso.types.js';

/** Keeps the memberships by groups true while a session continues: each refresh asks the identity provider. */
@Injectable()
export class SessionGroupsService {
  constructor(
    private readonly provider: IdentityProvider,
    private readonly grants: ProviderGrantsService,
    private readonly groups: GroupMembershipsService,
    private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Asks the provider for the person's groups. After any failure the session continues: then the memberships by
   * groups end half an hour after the provider has confirmed them last.
   *
   * @throws ForbiddenError if the provider says that the sign-in is too weak now
   */
  async confirm(session: RefreshedSession): Promise<void> {
    if (!this.provider.readsGroups) return;
    try {
      const taken = await this.grants.take(this.database.people.manager, session);
      if (taken) await this.ask(session, taken);
    } catch (error) {
      if (error instanceof ForbiddenError) throw error;
      this.logger.warn({ err: error }, "a refresh could not confirm a person's groups");
    }
  }

  /** No connection is held while the provider is asked. */
  private async ask(session: RefreshedSession, taken: TakenGrant): Promise<void> {
    let next: string | null = taken.stored;
    try {
      const grant = taken.open();
      const confirmed = await this.provider.groupsOf(grant);
      const renewed = confirmed && { ...grant, refreshToken: confirmed.refreshToken };
      next = renewed && (await this.grants.seal(session.sessionId, renewed));
      await this.store(session, next, confirmed);
    } catch (error) {
      // The provider may have replaced the refresh token: the new one is kept, also if the groups could not be stored.
      await this.store(session, next, null);
      throw error;
    }
  }

  /** The session's row is locked first: an account that is deactivated at the same moment has none, and gets no role. */
  private async store(
    { userId, sessionId }: RefreshedSession,
    grant: string | null,
    confirmed: ConfirmedGroups | null,
  ): Promise<void> {
    await this.database.people.transaction(async (tx) => {
      const isOpen = await this.grants.giveBack(tx, sessionId, grant);
      if (isOpen && confirmed) await this.groups.follow(tx, userId, confirmed.groups);
    }, userId);
  }
}
