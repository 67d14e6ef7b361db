import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { Transaction } from '../../database/transaction.js';
import { UsersService } from '../../users/users.service.js';
import { CHALLENGE_SECONDS, FactorChallengesService } from './factor-challenges.service.js';
import type { Asked } from './factor-challenges.repository.js';
import { FactorChecksService } from './factor-checks.service.js';
import { type FactorGuess, FactorGuessesService } from './factor-guesses.service.js';
import type { FactorQuestion } from './second-factor.types.js';

export interface GivenProof extends FactorGuess {
  readonly asked: Asked;
  /** The token of the question; null: none was asked, which is enough for codes in a session. */
  readonly token: string | null;
}

export type ProofOutcome<Value> =
  { readonly outcome: 'right'; readonly value: Value } | { readonly outcome: 'wrong' | 'expired' };

/** Rolls back what the check of an answer has used up. */
class UnprovenError extends Error {
  constructor(readonly outcome: 'wrong' | 'expired') {
    super(outcome);
  }
}

/** Asks for a second factor, and carries out what its answer allows, in the transaction that uses the answer up. */
@Injectable()
export class FactorProofsService {
  constructor(
    private readonly challenges: FactorChallengesService,
    private readonly checks: FactorChecksService,
    private readonly guesses: FactorGuessesService,
    private readonly users: UsersService,
    private readonly database: Database,
  ) {}

  async ask(tx: Transaction, asked: Asked): Promise<FactorQuestion> {
    const { token, challenge } = await this.challenges.issue(tx, asked);
    return {
      token,
      expiresInSeconds: CHALLENGE_SECONDS,
      ...(await this.checks.methodsOf(tx, asked.userId, challenge)),
    };
  }

  /** @returns the account that a login's token belongs to; null if it is not good any more */
  accountOf(token: string): Promise<string | null> {
    return this.challenges.accountOf(token);
  }

  /**
   * @param done what a right answer allows
   * @throws RateLimitedError past a limit of wrong answers
   */
  async answer<Value>(
    proof: GivenProof,
    done: (tx: Transaction) => Promise<Value>,
  ): Promise<ProofOutcome<Value>> {
    let unproven: ProofOutcome<Value> = { outcome: 'wrong' };
    const proven = await this.guesses.attempt(proof, async () => {
      try {
        return await this.carryOut(proof, done);
      } catch (error) {
        if (!(error instanceof UnprovenError)) throw error;
        unproven = { outcome: error.outcome };
        return null;
      }
    });
    return proven ?? unproven;
  }

  private carryOut<Value>(
    { account: { id }, asked, token, answer }: GivenProof,
    done: (tx: Transaction) => Promise<Value>,
  ): Promise<ProofOutcome<Value>> {
    return this.database.people.transaction(async (tx) => {
      // Locked first, as in every change of the account, so that two never wait for each other.
      if (!(await this.users.holdActive(tx, id))) throw new UnprovenError('expired');
      const challenge = token === null ? null : await this.challenges.take(tx, token, asked);
      if (token !== null && challenge === null) throw new UnprovenError('expired');
      if (!(await this.checks.isRight(tx, id, answer, challenge))) throw new UnprovenError('wrong');
      return { outcome: 'right', value: await done(tx) } as const;
    }, id);
  }
}
