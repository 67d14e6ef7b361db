import { IsDate } from 'class-validator';
import { ChangedText, documented, type Field } from './request-fields.js';

/** A date with optional time, fraction and zone, in the formats of common loggers. */
const ISO_8601 =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?: ?(Z|[+-]\d{2}(?::?\d{2})?))?)?$/i;

const MINUTE_MS = 60_000;

/** Accepts an ISO 8601 text, and converts it to a `Date`; anything else is a 422. */
export const TimestampField = (field: Field) =>
  documented(
    { example: '2026-01-31T09:30:00.000Z', ...field },
    { type: String, format: 'date-time' },
    // The plus of `+02:00` arrives as a space if the client has not encoded it in a query.
    ChangedText((text) => parseIsoTimestamp(text.replace(/ (?=\d{2}:?\d{2}$)/, '+')) ?? text),
    IsDate({ message: '$property must be an ISO 8601 timestamp' }),
  );

/**
 * Parses an ISO 8601 text to the millisecond; without a zone it is UTC. Undefined for an invalid text, or a year
 * outside 1 to 9999. `Date.parse` is unsuitable: it takes a text without a zone as local time, and 30 February as the
 * second of March.
 */
export function parseIsoTimestamp(text: string): Date | undefined {
  const parts = ISO_8601.exec(text);
  if (!parts) return undefined;
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = '', zone = 'Z'] = parts;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // A day that the month does not have would be in another month.
  if (date.getUTCMonth() !== Number(month) - 1) return undefined;
  // A leap second becomes the first second of the next minute, as in PostgreSQL.
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

/** Accepts an optional time. */
export const Moment = (description: string) =>
  TimestampField({ optional: true, description: `${description} Without a zone: UTC.` });

/** The beginning of a list's time range, inclusive. */
export const Since = () => Moment('Only from this time on (inclusive).');

/** The end of a list's time range, exclusive. */
export const Until = () => Moment('Only before this time (exclusive).');
