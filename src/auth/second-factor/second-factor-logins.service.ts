import { Injectable } from '@nestjs/common';
import type { RequestOrigin } from '../../access/request-origin.js';
import { accountOf, personWithoutKey } from '../../audit-log/audited-act.js';
import { AuditLogService } from '../../audit-log/audit-log.service.js';
import type { Transaction } from '../../database/transaction.js';
import { UnauthenticatedError } from '../../errors/domain-error.js';
import { UsersService } from '../../users/users.service.js';
import { SessionsService } from '../sessions/sessions.service.js';
import type { TokenPair } from '../tokens.service.js';
import { FactorProofsService } from './factor-proofs.service.js';
import { questionExpired, wrongAnswer } from './refused-answers.js';
import type { FactorAnswer, FactorQuestion } from './second-factor.types.js';

/** The result of a right password: tokens, or first the second factor. */
export type LoginStep = { readonly tokens: TokenPair } | { readonly question: FactorQuestion };

@Injectable()
export class SecondFactorLoginsService {
  constructor(
    private readonly users: UsersService,
    private readonly proofs: FactorProofsService,
    private readonly sessions: SessionsService,
    private readonly auditLog: AuditLogService,
  ) {}

  /** @param userId of an account that the transaction has locked, and whose password was right */
  async begin(tx: Transaction, userId: string, origin: RequestOrigin): Promise<LoginStep> {
    if (await this.users.hasSecondFactor(tx, userId))
      return { question: await this.proofs.ask(tx, { userId, sessionId: null, purpose: 'login' }) };
    return { tokens: await this.open(tx, userId, origin) };
  }

  /**
   * @param token of the question
   * @throws UnauthenticatedError if the answer is wrong, or the token not good any more
   * @throws RateLimitedError past a limit of wrong answers
   */
  async finish(token: string, answer: FactorAnswer, origin: RequestOrigin): Promise<TokenPair> {
    const userId = await this.proofs.accountOf(token);
    const account = userId === null ? null : await this.users.findCredentials(userId);
    if (!account) throw this.refusal(null, answer, questionExpired, origin);
    const { id } = account;
    const asked = { userId: id, sessionId: null, purpose: 'login' } as const;
    const proven = await this.proofs.answer(
      { account, answer, asked, token, address: origin.address },
      (tx) => this.open(tx, id, origin, answer.method),
    );
    if (proven.outcome === 'right') return proven.value;
    throw this.refusal(id, answer, proven.outcome === 'wrong' ? wrongAnswer : questionExpired, origin);
  }

  private async open(
    tx: Transaction,
    userId: string,
    origin: RequestOrigin,
    method?: FactorAnswer['method'],
  ): Promise<TokenPair> {
    const person = personWithoutKey(userId, origin);
    const details = { second_factor: method };
    await this.auditLog.write(tx, person, 'user.login', accountOf(userId), details);
    return this.sessions.openProven(tx, userId, origin);
  }

  private refusal(
    userId: string | null,
    { method }: FactorAnswer,
    [code, message]: typeof wrongAnswer,
    origin: RequestOrigin,
  ): UnauthenticatedError {
    const details = { second_factor: method, reason: message };
    this.auditLog.refused({ kind: 'anonymous', origin }, 'user.login', accountOf(userId), details);
    return new UnauthenticatedError(message, code);
  }
}
