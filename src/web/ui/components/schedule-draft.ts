import type { Schedule } from '@agent-control-plane/client';
import type { ScheduleTerms } from '../api/schedules.js';
import { readInput, writeInput } from './run-input.js';
import { givenRules, NO_RULES, RULE_FIELDS, type TypedRules } from './run-rules.js';
import { inUnit, SECONDS_OF, type Unit } from './schedule-words.js';

/** The form of a schedule as it is typed. */
export interface ScheduleDraft {
  readonly name: string;
  /** By a cron expression, or each so many units of time. */
  readonly kind: 'cron' | 'every';
  readonly cron: string;
  readonly timezone: string;
  readonly every: number | string;
  readonly unit: Unit;
  /** The input; see `readInput`. */
  readonly typed: string;
  readonly overlap: Schedule['overlap'];
  readonly catchesUp: boolean;
  readonly rules: TypedRules;
}

/** Fields of the service's refusals that the form shows. */
export const SCHEDULE_FIELDS = ['name', 'cron', 'every_seconds', 'timezone', 'input', ...RULE_FIELDS];

const DEFAULT_PRIORITY = 5;

/** A new schedule: each morning, by the clock of the viewer. */
export const newDraft = (timezone: string): ScheduleDraft => ({
  name: '',
  kind: 'cron',
  cron: '0 9 * * *',
  timezone,
  every: 15,
  unit: 'minutes',
  typed: '',
  overlap: 'skip',
  catchesUp: false,
  rules: NO_RULES,
});

/** The form of a schedule that exists. Pure. */
export function draftOf(schedule: Schedule): ScheduleDraft {
  const { cron, every_seconds: seconds, timezone, input, retry, priority, timeout_seconds } = schedule;
  const blank = newDraft(timezone);
  const pause = seconds === null ? null : inUnit(seconds);
  return {
    ...blank,
    name: schedule.name ?? '',
    kind: cron === null ? 'every' : 'cron',
    cron: cron ?? blank.cron,
    ...(pause && { every: pause.count, unit: pause.unit }),
    typed: input === null ? '' : writeInput(input),
    overlap: schedule.overlap,
    catchesUp: schedule.catch_up === 'one',
    rules: {
      priority,
      timeout_seconds: timeout_seconds ?? '',
      max_attempts: retry.max_attempts,
      first_delay_seconds: retry.first_delay_seconds,
      abandoned: retry.abandoned,
    },
  };
}

/** All terms of a form, so that emptied fields are emptied; null: something is missing or wrong. Pure. */
export function termsOf(draft: ScheduleDraft): ScheduleTerms | null {
  const input = readInput(draft.typed);
  if (input.kind === 'fault') return null;
  const clock = clockOf(draft);
  if (clock === null) return null;
  const { priority, timeout_seconds, retry } = givenRules(draft.rules);
  return {
    name: draft.name.trim() || null,
    ...clock,
    timezone: draft.timezone,
    input: 'value' in input ? input.value : null,
    overlap: draft.overlap,
    catch_up: draft.catchesUp ? 'one' : 'none',
    priority: priority ?? DEFAULT_PRIORITY,
    timeout_seconds: timeout_seconds ?? null,
    retry: retry ?? { max_attempts: 1, first_delay_seconds: 0, abandoned: false },
  };
}

function clockOf({
  kind,
  cron,
  every,
  unit,
}: ScheduleDraft): Pick<ScheduleTerms, 'cron' | 'every_seconds'> | null {
  if (kind === 'cron') return cron.trim() === '' ? null : { cron: cron.trim() };
  return typeof every === 'number' ? { every_seconds: Math.round(every * SECONDS_OF[unit]) } : null;
}
