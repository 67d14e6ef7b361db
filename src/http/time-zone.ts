import { applyDecorators } from '@nestjs/common';
import { Rule, TextField } from './request-fields.js';

const MAXIMUM_ZONE = 64;
/** The name of a time zone in the database of IANA. `Intl` also takes offsets, which have no daylight saving. */
const ZONE_NAME = /^[A-Za-z]/;

/** Returns true for the name of a time zone, such as `Europe/Berlin`. Pure. */
export function isTimeZone(name: string): boolean {
  if (!ZONE_NAME.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Accepts the name of a time zone. */
export const TimeZoneField = (description: string) =>
  applyDecorators(
    Rule(
      'isTimeZone',
      (value) => typeof value !== 'string' || isTimeZone(value),
      () => 'timezone must be the name of a time zone, such as "Europe/Berlin" or "UTC"',
    ),
    TextField({ min: 1, max: MAXIMUM_ZONE, optional: 'not null', description, example: 'Europe/Berlin' }),
  );
