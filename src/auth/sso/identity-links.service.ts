import { Injectable } from '@nestjs/common';
import type { RequestOrigin } from '../../access/request-origin.js';
import { ApiKeysService } from '../../api-keys/api-keys.service.js';
import { accountOf, personWithoutKey } from '../../audit-log/audited-act.js';
import { AuditLogService } from '../../audit-log/audit-log.service.js';
import type { Transaction } from '../../database/transaction.js';
import { UsersService } from '../../users/users.service.js';
import { FactorAccountsService } from '../second-factor/factor-accounts.service.js';
import { AccountPasswordsService } from '../account-passwords.service.js';
import type { ProvidedIdentity } from './sso.types.js';

/** Links an existing account to the person whose address the provider has verified. */
@Injectable()
export class IdentityLinksService {
  constructor(
    private readonly users: UsersService,
    private readonly passwords: AccountPasswordsService,
    private readonly factors: FactorAccountsService,
    private readonly apiKeys: ApiKeysService,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * The account's address was never verified before. So its password, second factors, one-time link, sessions and user API keys end:
   * they may belong to a stranger who registered this address.
   */
  async link(
    tx: Transaction,
    { issuer }: ProvidedIdentity,
    userId: string,
    origin: RequestOrigin,
  ): Promise<void> {
    await this.users.removePassword(tx, userId);
    await this.factors.removeAll(tx, userId);
    await this.passwords.endAccess(tx, userId);
    const revoked = await this.apiKeys.revokeUserKeys(tx, userId);
    await this.auditLog.write(tx, personWithoutKey(userId, origin), 'identity.link', accountOf(userId), {
      issuer,
      revoked_api_keys: revoked,
    });
  }
}
