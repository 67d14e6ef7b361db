import { rulesOf } from '../../dto/requested-run.js';
import type { ScheduleTerms } from '../schedule.types.js';
import type { CreateScheduleRequest, UpdateScheduleRequest } from './schedule.requests.js';

/** The terms of a new schedule, with their defaults. */
export function termsOf(body: CreateScheduleRequest): ScheduleTerms {
  const { priority, timeoutSeconds, maxAttempts, firstDelaySeconds, retriesAbandoned } = rulesOf({
    ...body,
    timeout_seconds: body.timeout_seconds ?? undefined,
    name: body.name ?? undefined,
  });
  return {
    name: body.name ?? null,
    cron: body.cron ?? null,
    everySeconds: body.every_seconds ?? null,
    timezone: body.timezone ?? 'UTC',
    input: body.input ?? null,
    labels: body.labels ?? {},
    priority,
    timeoutSeconds,
    maxAttempts,
    firstDelaySeconds,
    retriesAbandoned,
    overlap: body.overlap ?? 'skip',
    catchUp: body.catch_up ?? 'none',
    isActive: body.is_active ?? true,
  };
}

/** The terms that a change names; one clock takes the place of the other, unless it names both. */
export function changedTermsOf(body: UpdateScheduleRequest): Partial<ScheduleTerms> {
  const { retry, cron, every_seconds: everySeconds } = body;
  return defined({
    name: body.name,
    ...(cron !== undefined && { cron, everySeconds: everySeconds ?? null }),
    ...(everySeconds !== undefined && { cron: cron ?? null, everySeconds }),
    timezone: body.timezone,
    input: body.input,
    labels: body.labels,
    priority: body.priority,
    timeoutSeconds: body.timeout_seconds,
    ...(retry !== undefined && retriesOf(body)),
    overlap: body.overlap,
    catchUp: body.catch_up,
    isActive: body.is_active,
  });
}

function retriesOf({ retry }: Pick<UpdateScheduleRequest, 'retry'>) {
  const { maxAttempts, firstDelaySeconds, retriesAbandoned } = rulesOf({ retry });
  return { maxAttempts, firstDelaySeconds, retriesAbandoned };
}

function defined(terms: {
  [Name in keyof ScheduleTerms]?: ScheduleTerms[Name] | undefined;
}): Partial<ScheduleTerms> {
  return Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined));
}
