import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsUUID } from 'class-validator';
import {
  type Bounds,
  documented,
  type Field,
  FromText,
  Rule,
  Taken,
  WholeNumberRule,
} from './request-fields.js';

/** Accepts one UUID or several in a query, each as a parameter. */
export const IdsParameter = (max: number) =>
  applyDecorators(
    IsUUID('loose', { each: true }),
    ArrayMaxSize(max),
    IsArray(),
    Repeatable(),
    Taken(),
    ApiProperty({ type: [String], format: 'uuid', minItems: 1, maxItems: max }),
  );

/** Accepts a list of these words, each once and at least one. */
export const ChoicesField = (
  values: readonly string[],
  field: Omit<Field, 'optional'> & { readonly enumName: string },
) =>
  documented(
    { ...field, optional: 'not null' },
    { isArray: true, enum: [...values], minItems: 1, uniqueItems: true },
    IsIn(values, { each: true }),
    Distinct(),
    ArrayMaxSize(values.length),
    ArrayMinSize(1),
    IsArray(),
  );

/** Accepts one of these words in a query, or several times another one of them. */
export const ChoicesParameter = (
  values: readonly string[],
  field: Omit<Field, 'optional'> & { readonly enumName: string },
) =>
  documented(
    { ...field, optional: true },
    { isArray: true, enum: [...values], maxItems: values.length, uniqueItems: true },
    IsIn(values, { each: true }),
    Distinct(),
    ArrayMaxSize(values.length),
    Repeatable(),
  );

/** Accepts a whole number in a query up to `count` times, each another one. */
export const WholeNumbersParameter = ({
  min,
  max,
  count,
  ...field
}: Omit<Field, 'optional'> & Bounds & { readonly count: number }) =>
  documented(
    { ...field, optional: true },
    { type: 'array', items: { type: 'integer', minimum: min, maximum: max }, maxItems: count },
    WholeNumberRule({ min, max }, true),
    Distinct(),
    ArrayMaxSize(count),
    FromText(),
    Repeatable(),
  );

/** Accepts a query parameter several times: one value becomes an array of one. */
export const Repeatable = () =>
  Transform(({ value }: { value: unknown }) => (value === undefined ? undefined : [value].flat()));

/**
 * Validates an array of strings without duplicates. class-validator's `ArrayUnique` compares all pairs: 100,000 strings
 * took it six seconds.
 */
const Distinct = () =>
  Rule(
    'distinct',
    (value) => Array.isArray(value) && new Set(value).size === value.length,
    (name) => `All ${name}'s elements must be unique`,
  );
