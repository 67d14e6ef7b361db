import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IsoTimestamp } from './iso-timestamp.js';

/** An optional time in a query. */
export function Moment(description: string): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      required: false,
      type: String,
      format: 'date-time',
      description: `${description} Without a zone: UTC.`,
      example: '2026-01-31T09:30:00.000Z',
    }),
    IsOptional(),
    IsoTimestamp(),
  );
}

/** The beginning of a list's time range, inclusive. */
export const Since = () => Moment('Only from this time on (inclusive).');

/** The end of a list's time range, exclusive. */
export const Until = () => Moment('Only before this time (exclusive).');
