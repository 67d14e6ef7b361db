import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';

const LEAST = '00000000-0000-0000-0000-000000000000';
const MOST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** Four characters at least, with the dashes in their places. */
const BEGINNING =
  /^[0-9a-f]{4}([0-9a-f]{0,4}|[0-9a-f]{4}-([0-9a-f]{0,4}|[0-9a-f]{4}-([0-9a-f]{0,4}|[0-9a-f]{4}-([0-9a-f]{0,4}|[0-9a-f]{4}-[0-9a-f]{0,12}))))$/i;

/** A filter of a list: how ids begin. */
export function IdPrefix(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      required: false,
      minLength: 4,
      maxLength: 36,
      pattern: '^[0-9a-fA-F-]+$',
      description: 'The beginning of the id.',
      example: '0192f0c1',
    }),
    IsOptional(),
    Matches(BEGINNING, { message: '$property must be the beginning of an id, of four characters or more' }),
  );
}

/** The first and the last id that begin so: a range of an index. */
export function idRange(prefix: string): { firstId: string; lastId: string } {
  return { firstId: prefix + LEAST.slice(prefix.length), lastId: prefix + MOST.slice(prefix.length) };
}
