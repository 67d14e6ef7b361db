import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsDate } from 'class-validator';
import { Taken } from './request-fields.js';

/** Date, and perhaps time, fraction and zone: what the loggers of the common languages write. */
const ISO_8601 =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?: ?(Z|[+-]\d{2}(?::?\d{2})?))?)?$/i;

const MINUTE_MS = 60_000;

/** A property that is a `Date` once an ISO 8601 text was read; anything else is a 422. */
export const IsoTimestamp = () =>
  applyDecorators(
    Taken(),
    // The plus of `+02:00`, where nobody has encoded it in a query, arrives as a space.
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string'
        ? (parseIsoTimestamp(value.replace(/ (?=\d{2}:?\d{2}$)/, '+')) ?? value)
        : value,
    ),
    IsDate({ message: '$property must be an ISO 8601 timestamp' }),
  );

/**
 * The moment that an ISO 8601 text names, to the millisecond; without a zone it is UTC. Undefined where it names
 * none, or one outside the years 1 to 9999. `Date.parse` won't do: to it a text without a zone is local time, and
 * 30 February the second of March.
 */
export function parseIsoTimestamp(text: string): Date | undefined {
  const parts = ISO_8601.exec(text);
  if (!parts) return undefined;
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = '', zone = 'Z'] = parts;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // A day that the month does not have is in another one.
  if (date.getUTCMonth() !== Number(month) - 1) return undefined;
  // A leap second is the first one of the next minute here, as it is to PostgreSQL.
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  date.setUTCHours(Number(hour), Number(minute), Number(second), Number(fraction.padEnd(3, '0').slice(0, 3)));
  const offset = offsetMinutes(zone);
  if (offset === undefined) return undefined;
  const moment = new Date(date.getTime() - offset * MINUTE_MS);
  return moment.getUTCFullYear() >= 1 && moment.getUTCFullYear() <= 9_999 ? moment : undefined;
}

/** Offset of `+02:00`, `+0200`, `+02` or `Z`; undefined for any other text. */
function offsetMinutes(zone: string): number | undefined {
  if (/z/i.test(zone)) return 0;
  const digits = zone.replaceAll(/\D/g, '');
  const hours = Number(digits.slice(0, 2));
  const minutes = Number(digits.slice(2));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
