import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../database/transaction.js';
import type { Connection } from '../../database/transaction.js';
import { Passkeys } from './passkeys.js';
import { RecoveryCodesRepository } from './recovery-codes.repository.js';
import { recoveryCodeHash } from './recovery-code-format.js';
import type { FactorAnswer, FactorQuestion, ProofMethod } from './second-factor.types.js';
import { SecondFactorsRepository } from './second-factors.repository.js';
import { stepOfCode } from './totp.js';
import { TotpSecretCipher } from './totp-secret-cipher.js';

/** Asks for second factors, and checks the answers. What a check uses up is used up with the transaction. */
@Injectable()
export class FactorChecksService {
  constructor(
    private readonly factors: SecondFactorsRepository,
    private readonly codes: RecoveryCodesRepository,
    private readonly cipher: TotpSecretCipher,
    private readonly passkeys: Passkeys,
  ) {}

  /** How the account can answer, and what its passkeys have to sign. */
  async methodsOf(
    connection: Connection,
    userId: string,
    challenge: string,
  ): Promise<Pick<FactorQuestion, 'methods' | 'passkeyOptions'>> {
    const factors = await this.factors.list(connection, userId);
    const passkeys = await this.factors.listPasskeys(connection, userId);
    const passkeyOptions = await this.passkeys.requestOptions(challenge, passkeys);
    const methods: readonly (ProofMethod | false)[] = [
      passkeyOptions !== null && 'passkey',
      factors.some(({ kind }) => kind === 'totp') && 'totp',
      (await this.codes.count(connection, userId)) > 0 && 'recovery_code',
    ];
    return { methods: methods.filter((method) => method !== false), passkeyOptions };
  }

  /** @param challenge what a passkey had to sign; null: a passkey was not asked */
  async isRight(
    tx: Transaction,
    userId: string,
    answer: FactorAnswer,
    challenge: string | null,
  ): Promise<boolean> {
    switch (answer.method) {
      case 'totp':
        return this.isCode(tx, userId, answer.code);
      case 'recovery_code':
        return this.codes.use(tx, userId, recoveryCodeHash(answer.code));
      default:
        return challenge !== null && this.isSignature(tx, userId, answer.response, challenge);
    }
  }

  /** A code is good once: its step, or a later one, must not have been used before. */
  private async isCode(tx: Transaction, userId: string, code: string): Promise<boolean> {
    for (const { id, secret } of await this.factors.listTotps(tx, userId)) {
      const step = stepOfCode(this.cipher.decrypt(id, secret), code, Date.now());
      if (step !== null && (await this.factors.useStep(tx, id, step))) return true;
    }
    return false;
  }

  private async isSignature(
    tx: Transaction,
    userId: string,
    response: Extract<FactorAnswer, { method: 'passkey' }>['response'],
    challenge: string,
  ): Promise<boolean> {
    const passkeys = await this.factors.listPasskeys(tx, userId);
    const passkey = passkeys.find(({ credentialId }) => credentialId === response.id);
    if (!passkey) return false;
    const counter = await this.passkeys.readAnswer(response, challenge, passkey);
    return counter !== null && this.factors.useCounter(tx, passkey, counter);
  }
}
