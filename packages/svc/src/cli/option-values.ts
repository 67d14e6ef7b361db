import { UsageError } from './failures.js';

/** A time on a command line: absolute, or relative to now. */
export type Moment = { readonly at: string } | { readonly secondsAgo: number };

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isId(text: string): boolean {
  return ID.test(text);
}

/** Minimum length of a beginning of an id: shorter ones may be a typo, and the service refuses them. */
const LEAST_PREFIX = 4;

export function isIdPrefix(text: string): boolean {
  const rest = '00000000-0000-0000-0000-000000000000'.slice(text.length);
  return text.length >= LEAST_PREFIX && isId(`${text}${rest}`);
}

/** A parser of whole numbers between two bounds, both included. */
export function integer(lowest: number, highest = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^-?\d+$/.test(text) && value >= lowest && value <= highest) return value;
    throw new UsageError(
      highest === Number.MAX_SAFE_INTEGER
        ? `It must be a whole number from ${lowest} on`
        : `It must be a whole number from ${lowest} to ${highest}`,
    );
  };
}

/** `90`, `90s`, `5m`, `2h`, `1d`. @returns whole seconds */
export function seconds(text: string): number {
  const [, amount, unit = 's'] = /^(\d{1,9})([smhd])?$/.exec(text) ?? [];
  if (amount === undefined) throw new UsageError('It must be a number of seconds, or like 30s, 5m, 2h, 1d');
  return Number(amount) * SECONDS[unit as keyof typeof SECONDS];
}

/** `10m` for ten minutes ago, or an ISO 8601 time; without a zone it is UTC, as everywhere in the service. */
export function moment(text: string): Moment {
  if (/^\d{1,9}[smhd]$/.test(text)) return { secondsAgo: seconds(text) };
  const isIso = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/i.test(text);
  const hasZone = /^[^T ]*[T ].*(Z|[+-]\d{2}:?\d{2})$/i.test(text);
  const time = isIso ? Date.parse(hasZone || !/[T ]/.test(text) ? text : `${text}Z`) : Number.NaN;
  if (Number.isNaN(time))
    throw new UsageError('It must be a time like 2026-01-31T09:30:00Z, or an age like 10m, 2h, 1d');
  return { at: new Date(time).toISOString() };
}

/** A {@link Moment} in the future: `10m` for ten minutes from now, or an ISO 8601 time. */
export function laterMoment(text: string): Moment {
  if (/^\d{1,9}[smhd]$/.test(text)) return { secondsAgo: -seconds(text) };
  try {
    return moment(text);
  } catch {
    throw new UsageError('It must be a time like 2026-01-31T09:30:00Z, or one from now on like 10m, 2h, 1d');
  }
}

/** @returns ISO 8601, UTC */
export function timeOf(given: Moment | undefined, now: Date): string | undefined {
  if (given === undefined) return undefined;
  return 'at' in given ? given.at : new Date(now.getTime() - given.secondsAgo * 1_000).toISOString();
}

/** A text that is not empty, without spaces around it. */
export function filled(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') throw new UsageError('It must not be empty');
  return trimmed;
}
