import { Injectable } from '@nestjs/common';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { SessionPrincipal } from '../../access/principal.js';
import { Database } from '../../database/database.js';
import { newId } from '../../database/new-id.js';
import type { Transaction } from '../../database/transaction.js';
import { ConflictError, RefusedError } from '../../errors/domain-error.js';
import { FactorAccountsService } from './factor-accounts.service.js';
import { FactorChallengesService } from './factor-challenges.service.js';
import { Passkeys } from './passkeys.js';
import { questionExpired } from './refused-answers.js';
import type { ConfirmedFactor } from './second-factor.types.js';
import { SecondFactorsRepository } from './second-factors.repository.js';

export interface PasskeyCreation {
  readonly token: string;
  readonly options: PublicKeyCredentialCreationOptionsJSON;
}

/** Adds passkeys (WebAuthn). */
@Injectable()
export class PasskeyEnrolmentsService {
  constructor(
    private readonly accounts: FactorAccountsService,
    private readonly factors: SecondFactorsRepository,
    private readonly challenges: FactorChallengesService,
    private readonly passkeys: Passkeys,
    private readonly database: Database,
  ) {}

  /** @throws ConflictError if the account can have no further one, or passkeys can't be used here */
  begin({ userId, sessionId }: SessionPrincipal): Promise<PasskeyCreation> {
    return this.database.people.transaction(async (tx) => {
      const account = await this.accounts.lockForOneMore(tx, userId);
      const { token, challenge } = await this.challenges.issue(tx, {
        userId,
        sessionId,
        purpose: 'enrolment',
      });
      const known = await this.factors.listPasskeys(tx, userId);
      const options = await this.passkeys.creationOptions(account, challenge, known);
      if (options) return { token, options };
      throw new ConflictError(
        'passkeys_unavailable',
        "Browsers don't support passkeys at an IP address: open the dashboard by its host name, or at " +
          'http://localhost; WEB_PUBLIC_URL sets its address',
      );
    }, userId);
  }

  /** @throws RefusedError if the answer is wrong, or too late */
  async finish(
    tx: Transaction,
    caller: SessionPrincipal,
    token: string,
    { name, response }: { readonly name: string; readonly response: RegistrationResponseJSON },
  ): Promise<ConfirmedFactor> {
    const { userId, sessionId } = caller;
    const account = await this.accounts.lockForOneMore(tx, userId);
    const challenge = await this.challenges.take(tx, token, { userId, sessionId, purpose: 'enrolment' });
    if (challenge === null) throw new RefusedError(...questionExpired);
    const passkey = await this.passkeys.readCreation(response, challenge);
    const factor = passkey && (await this.factors.insertPasskey(tx, { id: newId(), userId, name }, passkey));
    if (!factor) {
      throw new RefusedError(
        'passkey_refused',
        'The answer does not match the passkey challenge, or the passkey was added before',
      );
    }
    return this.accounts.add(tx, caller, account, factor);
  }
}
