import { Injectable } from '@nestjs/common';
import type { RequestOrigin } from '../../access/request-origin.js';
import { accountOf, personWithoutKey } from '../../audit-log/audited-act.js';
import { AuditLogService } from '../../audit-log/audit-log.service.js';
import { Database } from '../../database/database.js';
import { ForbiddenError, RefusedError } from '../../errors/domain-error.js';
import type { TokenPair } from '../tokens.service.js';
import { SsoAccountsService } from './sso-accounts.service.js';
import { SsoRightsService } from './sso-rights.service.js';
import { SsoSessionsService } from './sso-sessions.service.js';
import type { ProvidedIdentity } from './sso.types.js';

@Injectable()
export class SsoLoginsService {
  constructor(
    private readonly accounts: SsoAccountsService,
    private readonly rights: SsoRightsService,
    private readonly sessions: SsoSessionsService,
    private readonly auditLog: AuditLogService,
    private readonly database: Database,
  ) {}

  /** @throws ForbiddenError if the identity may have no account, or its account is deactivated */
  async login(identity: ProvidedIdentity, origin: RequestOrigin): Promise<TokenPair> {
    try {
      return await this.attempt(identity, origin);
    } catch (error) {
      // Usually the same person in another tab, whose account the second attempt finds.
      if (error instanceof RefusedError) return this.attempt(identity, origin);
      throw error;
    }
  }

  private async attempt(identity: ProvidedIdentity, origin: RequestOrigin): Promise<TokenPair> {
    const { issuer } = identity;
    let target = accountOf(null);
    const session = await this.sessions.prepare(identity);
    try {
      return await this.database.people.transaction(async (tx) => {
        const userId = await this.accounts.find(tx, identity, origin);
        target = accountOf(userId);
        await this.rights.grant(tx, userId, identity);
        await this.auditLog.write(tx, personWithoutKey(userId, origin), 'user.login', target, { issuer });
        return this.sessions.open(tx, userId, origin, session);
      });
    } catch (error) {
      if (error instanceof ForbiddenError) {
        const details = { issuer, reason: error.message };
        this.auditLog.refused({ kind: 'anonymous', origin }, 'user.login', target, details);
      }
      throw error;
    }
  }
}
