import { Injectable } from '@nestjs/common';
import type { SessionPrincipal } from '../../access/principal.js';
import { Database } from '../../database/database.js';
import { RefusedError } from '../../errors/domain-error.js';
import type { UserCredentials } from '../../users/user.types.js';
import { UsersService } from '../../users/users.service.js';
import { PasswordGuessesService } from '../password-guesses.service.js';
import { SessionProofsService } from '../sessions/session-proofs.service.js';
import { FactorProofsService } from './factor-proofs.service.js';
import { questionExpired, wrongAnswer } from './refused-answers.js';
import type { FactorAnswer, FactorQuestion, Proof } from './second-factor.types.js';

/** People prove again, within their session, who they are. */
@Injectable()
export class StepUpsService {
  constructor(
    private readonly users: UsersService,
    private readonly proofs: FactorProofsService,
    private readonly guesses: PasswordGuessesService,
    private readonly sessions: SessionProofsService,
    private readonly database: Database,
  ) {}

  /** How the caller can prove it. */
  async ask({ userId, sessionId }: SessionPrincipal): Promise<FactorQuestion> {
    return this.database.people.transaction(async (tx) => {
      const question = await this.proofs.ask(tx, { userId, sessionId, purpose: 'step_up' });
      if (await this.users.hasSecondFactor(tx, userId)) return question;
      return { ...question, methods: ['password'] };
    }, userId);
  }

  /**
   * @param token of the question; null: none was asked, which passkeys need
   * @returns the time until which the proof lasts
   * @throws RefusedError if it is wrong, or too late
   * @throws RateLimitedError past a limit of wrong answers
   */
  async prove(caller: SessionPrincipal, proof: Proof, token: string | null): Promise<string> {
    const account = (await this.users.findCredentials(caller.userId))!;
    return proof.method === 'password'
      ? this.byPassword(caller, account, proof.password)
      : this.byFactor(caller, account, proof, token);
  }

  private async byFactor(
    caller: SessionPrincipal,
    account: UserCredentials,
    answer: FactorAnswer,
    token: string | null,
  ): Promise<string> {
    const { userId, sessionId, origin } = caller;
    const asked = { userId, sessionId, purpose: 'step_up' } as const;
    const given = { account, answer, asked, token, address: origin.address };
    const proven = await this.proofs.answer(given, (tx) => this.sessions.prove(tx, caller, answer.method));
    if (proven.outcome === 'right') return proven.value;
    const [code, message] = proven.outcome === 'wrong' ? wrongAnswer : questionExpired;
    this.sessions.recordWrong(caller, answer.method, message);
    throw new RefusedError(code, message);
  }

  private async byPassword(
    caller: SessionPrincipal,
    account: UserCredentials,
    password: string,
  ): Promise<string> {
    const { email, passwordHash, hasSecondFactor } = account;
    if (hasSecondFactor) {
      throw new RefusedError(
        'wrong_second_factor',
        'The account has a second factor: a password alone is not enough',
      );
    }
    const { address } = caller.origin;
    const isRight = await this.guesses.isRight({ email, account, password, address });
    const untilIfStillSo = !isRight || passwordHash === null ? null : await this.commit(caller, passwordHash);
    if (untilIfStillSo !== null) return untilIfStillSo;
    const message = 'The password is wrong';
    this.sessions.recordWrong(caller, 'password', message);
    throw new RefusedError('wrong_password', message);
  }

  /** @returns null if the account was changed since its password was checked: a factor counts from then on */
  private commit(caller: SessionPrincipal, passwordHash: string): Promise<string | null> {
    const { userId } = caller;
    return this.database.people.transaction(async (tx) => {
      const isSame = await this.users.holdActive(tx, userId, passwordHash);
      if (!isSame || (await this.users.hasSecondFactor(tx, userId))) return null;
      return this.sessions.prove(tx, caller, 'password');
    }, userId);
  }
}
