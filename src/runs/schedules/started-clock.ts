import { databaseTime } from '../../database/clock.js';
import type { Transaction } from '../../database/transaction.js';
import { InvalidError } from '../../errors/domain-error.js';
import { nextDueAt, type RunningClock } from './due-times.js';
import type { ScheduleTerms } from './schedule.types.js';
import type { StoredSchedule } from './schedules.repository.js';

/** A clock that begins now, by the database's clock, with its next due time. @throws InvalidError unless there is exactly one */
export async function startOf(
  tx: Transaction,
  terms: ScheduleTerms,
): Promise<Pick<StoredSchedule, 'anchoredAt' | 'nextRunAt'>> {
  const { cron, everySeconds } = terms;
  if (cron === null && everySeconds === null)
    throw InvalidError.of('cron', 'required', 'cron or every_seconds must be given');
  if (cron !== null && everySeconds !== null)
    throw InvalidError.of(
      'every_seconds',
      'not_allowed',
      'cron and every_seconds must not be given together',
    );
  const now = new Date(await databaseTime(tx));
  const anchoredAt = new Date(Math.floor(now.getTime() / 1_000) * 1_000).toISOString();
  const clock: RunningClock = { ...terms, anchoredAt };
  const next = terms.isActive ? nextDueAt(clock, now) : null;
  return { anchoredAt, nextRunAt: next?.toISOString() ?? null };
}
