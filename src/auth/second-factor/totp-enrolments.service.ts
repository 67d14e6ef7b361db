import { Injectable } from '@nestjs/common';
import type { SessionPrincipal } from '../../access/principal.js';
import { Database } from '../../database/database.js';
import { newId } from '../../database/new-id.js';
import type { Transaction } from '../../database/transaction.js';
import { NotFoundError, RefusedError } from '../../errors/domain-error.js';
import { FactorAccountsService } from './factor-accounts.service.js';
import type { ConfirmedFactor } from './second-factor.types.js';
import { SecondFactorsRepository } from './second-factors.repository.js';
import { newTotpSecret, otpauthUri, stepOfCode } from './totp.js';
import { TotpSecretCipher } from './totp-secret-cipher.js';

/** Time to confirm a new factor. */
const UNCONFIRMED_MINUTES = 15;

/** A factor that counts once a code of its secret was given. */
export interface NewTotp {
  readonly id: string;
  readonly name: string;
  /** In base32; shown this once. */
  readonly secret: string;
  readonly uri: string;
}

/** Adds authenticator apps: one-time codes by time (RFC 6238). */
@Injectable()
export class TotpEnrolmentsService {
  constructor(
    private readonly accounts: FactorAccountsService,
    private readonly factors: SecondFactorsRepository,
    private readonly cipher: TotpSecretCipher,
    private readonly database: Database,
  ) {}

  /** Makes a secret, in the place of an earlier one that was never confirmed. @throws ConflictError */
  async begin(tx: Transaction, { userId }: SessionPrincipal, name: string): Promise<NewTotp> {
    const { email } = await this.accounts.lockForOneMore(tx, userId);
    const id = newId();
    const secret = newTotpSecret();
    const sealed = await this.cipher.seal(id, secret);
    await this.factors.insertTotp(tx, { id, userId, name }, sealed, UNCONFIRMED_MINUTES);
    return { id, name, secret, uri: otpauthUri(secret, email) };
  }

  /**
   * @throws NotFoundError if there is none that waits to be confirmed
   * @throws RefusedError if the code is wrong
   */
  confirm(caller: SessionPrincipal, id: string, code: string): Promise<ConfirmedFactor> {
    const { userId } = caller;
    return this.database.people.transaction(async (tx) => {
      const account = await this.accounts.lockForOneMore(tx, userId);
      const found = await this.factors.findUnconfirmed(tx, userId, id);
      if (!found) throw new NotFoundError('Second factor');
      const step = stepOfCode(this.cipher.decrypt(id, found.secret), code, Date.now());
      if (step === null) {
        throw new RefusedError(
          'wrong_second_factor',
          'The code is wrong: check the clock of the device with the app',
        );
      }
      return this.accounts.add(tx, caller, account, await this.factors.confirm(tx, id, step));
    }, userId);
  }
}
