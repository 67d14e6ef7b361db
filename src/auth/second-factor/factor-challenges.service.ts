import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../database/transaction.js';
import { Database } from '../../database/database.js';
import { type Asked, FactorChallengesRepository } from './factor-challenges.repository.js';

/** Time for an answer. */
export const CHALLENGE_SECONDS = 5 * 60;
const TOKEN_BYTES = 32;

/** A new question: its token goes to the client, its challenge into the options of a passkey. */
export interface NewChallenge {
  readonly token: string;
  readonly challenge: string;
}

/** Questions for a second factor. Each is good for one right answer, for five minutes, on every instance. */
@Injectable()
export class FactorChallengesService {
  constructor(
    private readonly challenges: FactorChallengesRepository,
    private readonly database: Database,
  ) {}

  async issue(tx: Transaction, asked: Asked): Promise<NewChallenge> {
    const token = random();
    const challenge = random();
    await this.challenges.insert(tx, { ...asked, tokenHash: hashOf(token), challenge }, CHALLENGE_SECONDS);
    return { token, challenge };
  }

  /** @returns the account that a login's token belongs to; null if it is not good any more */
  accountOf(token: string): Promise<string | null> {
    return this.challenges.findLogin(this.database.people.manager, hashOf(token));
  }

  /**
   * Uses a question, unless the transaction is rolled back because the answer is wrong.
   *
   * @returns what a passkey had to sign; null if the token is not good any more, or was another's
   */
  take(tx: Transaction, token: string, asked: Asked): Promise<string | null> {
    return this.challenges.take(tx, hashOf(token), asked);
  }

  discard(tx: Transaction, userId: string): Promise<void> {
    return this.challenges.deleteOf(tx, userId);
  }
}

function random(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

function hashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
