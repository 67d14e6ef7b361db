import type { Schedule } from '@agent-control-plane/client';

type Clock = Pick<Schedule, 'cron' | 'every_seconds' | 'timezone'>;

export const UNITS = ['days', 'hours', 'minutes', 'seconds'] as const;
export type Unit = (typeof UNITS)[number];

export const SECONDS_OF: Readonly<Record<Unit, number>> = {
  days: 86_400,
  hours: 3_600,
  minutes: 60,
  seconds: 1,
};

/** Seconds in the largest unit of which they are a whole number. Pure. */
export function inUnit(seconds: number): { readonly count: number; readonly unit: Unit } {
  const unit = UNITS.find((it) => seconds % SECONDS_OF[it] === 0)!;
  return { count: seconds / SECONDS_OF[unit], unit };
}

/** `every 15 minutes`, or `0 9 * * MON-FRI in Europe/Berlin`. Pure. */
export function clockText({ cron, every_seconds, timezone }: Clock): string {
  if (cron !== null) return `${cron} in ${timezone}`;
  const { count, unit } = inUnit(every_seconds!);
  return count === 1 ? `every ${unit.slice(0, -1)}` : `every ${count} ${unit}`;
}

export const OVERLAPS: readonly { readonly value: Schedule['overlap']; readonly label: string }[] = [
  { value: 'skip', label: 'Skip the new run' },
  { value: 'queue', label: 'Start the new run when it ends' },
  { value: 'allow', label: 'Start the new run immediately, in parallel' },
];

export const overlapWord = (overlap: Schedule['overlap']): string =>
  OVERLAPS.find(({ value }) => value === overlap)?.label ?? overlap;

export const catchUpWord = (catchUp: Schedule['catch_up']): string =>
  catchUp === 'one' ? 'One run for all of them' : 'Skipped';

/** The viewer's time zone. */
export const viewersZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** `Friday, 27 November 2026 at 09:00`, with the seconds unless they are zero. Pure. */
export function momentText(at: Date, timeZone: string, locale?: string): string {
  const isWhole = at.getUTCSeconds() === 0;
  const format = { dateStyle: 'full', timeStyle: isWhole ? 'short' : 'medium', timeZone } as const;
  return new Intl.DateTimeFormat(locale, format).format(at);
}
