import { Inject, Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { onCommit, type Transaction } from '../database/transaction.js';
import { RateLimitedError } from '../errors/domain-error.js';
import { instruments } from '../observability/instruments.js';
import type { OwnLimit } from './project-limit.types.js';
import { type Addition, type KnownSum, QuotaCounts } from './quota-counts.js';
import { DAILY_SETTINGS, DAILY_WORDS, RATE_SETTINGS } from './quota-limits.js';
import type { QuotaDay } from './quota-uses.repository.js';
import {
  QUOTA_SCOPES,
  type QuotaKind,
  type QuotaOwner,
  type QuotaScope,
  type QuotaSubject,
} from './quota.types.js';
import { RateWindows } from './rate-windows.js';

const refusals = new Counter({
  name: 'control_plane_quota_refusals_total',
  help: 'Requests refused by this instance because a quota was used up',
  labelNames: ['kind', 'scope', 'limit'],
  registers: [instruments],
});

/** Agents come back at different moments of the first minute of a day. */
const SPREAD_SECONDS = 60;
const SECONDS_IN_A_DAY = 86_400;
const MS_IN_A_DAY = SECONDS_IN_A_DAY * 1_000;

/**
 * Limits the data that agents and projects store in a day and in a minute. A request is counted in memory, so it
 * takes no statement and waits for no row; `QuotaSumsService` adds the counts of all instances up.
 */
@Injectable()
export class QuotasService {
  /** The limits that projects have for themselves, by kind and project, as the last round has read them. */
  private readonly ownLimits = new Map<string, number>();
  private readonly counts = new QuotaCounts((subject) => this.limitOf(subject));
  private readonly rates = new RateWindows((scope) => this.settings[RATE_SETTINGS[scope]]);
  private day = '';
  /** By `performance.now()`. By this instance's clock until the database's is known. */
  private dayEndsAt = performance.now() + MS_IN_A_DAY - (Date.now() % MS_IN_A_DAY);

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  /**
   * Runs what stores an amount of an agent's, if its day and its minute have room. The request that reaches a limit is stored as a
   * whole.
   *
   * @param isStored whether the amount was stored by this request, and not by an earlier one that it repeats; absent: it was
   * @throws RateLimitedError
   */
  async during<Result>(
    owner: QuotaOwner,
    kind: QuotaKind,
    amount: number,
    work: () => Promise<Result>,
    isStored: (result: Result) => boolean = () => true,
  ): Promise<Result> {
    const subjects = subjectsOf(owner, kind);
    this.assertDay(subjects);
    this.assertMinute(subjects);
    for (const subject of subjects) {
      this.counts.take(subject, amount);
      this.rates.add(subject, amount);
    }
    let stored = 0;
    try {
      const result = await work();
      if (isStored(result)) stored = amount;
      return result;
    } finally {
      for (const subject of subjects) this.counts.settle(subject, amount, stored);
    }
  }

  /**
   * Counts what a transaction stores when it is committed, if there is room now. Transactions under way pass a limit together.
   *
   * @throws RateLimitedError
   */
  countAtCommit(tx: Transaction, owner: QuotaOwner, kind: QuotaKind, amount: number): void {
    const subjects = subjectsOf(owner, kind);
    this.assertDay(subjects);
    onCommit(tx, () => subjects.forEach((subject) => this.counts.settle(subject, 0, amount)));
  }

  /** Takes out the amounts for the sums of all instances. @param all true: also small amounts */
  takeAdditions(all: boolean): Addition[] {
    return this.counts.takeAdditions(all);
  }

  /** Puts back what could not be added. */
  putBack(additions: readonly Addition[]): void {
    this.counts.putBack(additions);
  }

  learn(sums: readonly KnownSum[]): void {
    this.counts.learn(sums);
  }

  /** Learns which projects have limits of their own. */
  learnLimits(limits: readonly OwnLimit[]): void {
    for (const { projectId, kind, maximum } of limits) {
      if (maximum === null) this.ownLimits.delete(`${kind}:${projectId}`);
      else this.ownLimits.set(`${kind}:${projectId}`, maximum);
    }
  }

  /** Learns the day of the database's clock. @returns true if it is a new one */
  learnDay({ day, secondsLeft }: QuotaDay): boolean {
    this.rates.forgetOld();
    this.dayEndsAt = performance.now() + secondsLeft * 1_000;
    const isNew = day !== this.day;
    if (isNew && this.day !== '') this.counts.beginDay();
    this.day = day;
    return isNew;
  }

  private limitOf({ scope, subjectId, kind }: QuotaSubject): number {
    const own = scope === 'project' ? this.ownLimits.get(`${kind}:${subjectId}`) : undefined;
    return own ?? this.settings[DAILY_SETTINGS[kind][scope]];
  }

  /** @throws RateLimitedError */
  private assertDay(subjects: readonly QuotaSubject[]): void {
    if (performance.now() >= this.dayEndsAt) return;
    const usedUp = subjects.find((subject) => this.counts.isUsedUp(subject));
    if (usedUp) throw this.refusalOfDay(usedUp);
  }

  /** @throws RateLimitedError */
  private assertMinute(subjects: readonly QuotaSubject[]): void {
    for (const subject of subjects) {
      const seconds = this.rates.secondsToWait(subject);
      if (seconds > 0) throw this.refusalOfMinute(subject, seconds);
    }
  }

  private refusalOfDay(subject: QuotaSubject): RateLimitedError {
    const { kind, scope, subjectId } = subject;
    refusals.inc({ kind, scope, limit: 'day' });
    const isOwn = scope === 'project' && this.ownLimits.has(`${kind}:${subjectId}`);
    const source = isOwn ? `the limit ${kind} of project ${subjectId}` : DAILY_SETTINGS[kind][scope];
    const secondsLeft = Math.min(
      SECONDS_IN_A_DAY,
      Math.max(1, Math.ceil((this.dayEndsAt - performance.now()) / 1_000)),
    );
    const message =
      `The ${scope} has used today's quota of ${this.limitOf(subject)} ${DAILY_WORDS[kind]} (${source}): try again ` +
      'after midnight UTC';
    return new RateLimitedError(
      message,
      secondsLeft + Math.floor(Math.random() * SPREAD_SECONDS),
      'quota_exceeded',
    );
  }

  private refusalOfMinute({ kind, scope }: QuotaSubject, seconds: number): RateLimitedError {
    refusals.inc({ kind, scope, limit: 'minute' });
    const setting = RATE_SETTINGS[scope];
    const message =
      `The ${scope} has sent ${this.settings[setting]} bytes of logs, metrics and spans in this minute, the maximum ` +
      `(${setting}): try again in ${seconds} seconds`;
    return new RateLimitedError(message, seconds);
  }
}

function subjectsOf({ agentId, projectId }: QuotaOwner, kind: QuotaKind): QuotaSubject[] {
  const ids: Readonly<Record<QuotaScope, string>> = { agent: agentId, project: projectId };
  return QUOTA_SCOPES.map((scope) => ({ scope, subjectId: ids[scope], projectId, kind }));
}
