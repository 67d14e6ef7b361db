import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, IsOptional, Matches, MaxLength } from 'class-validator';
import { Repeatable, Taken, TextField } from './request-fields.js';

const MAXIMUM_LABELS = 32;
/** Maximum length of a pair: a key of 64 characters, the colon, a value of 128. */
const MAXIMUM_PAIR = 193;
const PAIR = /^[^:]+:/;

/** Accepts the query parameter `label=key:value`, up to 32 times. */
export const LabelFilter = () =>
  applyDecorators(
    ApiProperty({
      required: false,
      type: [String],
      maxItems: MAXIMUM_LABELS,
      description:
        'Only agents with this label, as `key:value`; repeat it for several labels, all of which must match.',
      example: ['team:billing'],
    }),
    Taken(),
    IsOptional(),
    Repeatable(),
    ArrayMaxSize(MAXIMUM_LABELS),
    MaxLength(MAXIMUM_PAIR, { each: true }),
    Matches(PAIR, { each: true, message: 'label must be key:value' }),
  );

/** Accepts one label as `key:value` in a body. */
export const LabelField = (field: {
  readonly description: string;
  readonly example?: string;
  readonly nullable?: true;
}) =>
  applyDecorators(
    Matches(PAIR, { message: 'label must be key:value' }),
    TextField({ min: 2, max: MAXIMUM_PAIR, optional: true, ...field }),
  );

/** The label of a pair, whose key ends at the first colon. */
export function labelOf(pair: string): Record<string, string> {
  const colon = pair.indexOf(':');
  return { [pair.slice(0, colon)]: pair.slice(colon + 1) };
}
