import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  Validate,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { Verbatim } from '../../http/declared-body.js';

const MAXIMUM_LABELS = 32;
const MAXIMUM_KEY = 64;
const MAXIMUM_VALUE = 128;

@ValidatorConstraint({ name: 'areLabels' })
class AreLabels implements ValidatorConstraintInterface {
  validate(labels: unknown): boolean {
    if (typeof labels !== 'object' || labels === null || Array.isArray(labels)) return false;
    const keys = Object.keys(labels);
    return keys.length <= MAXIMUM_LABELS && keys.every((key) => isKey(key) && isValue(labels[key as never]));
  }

  defaultMessage(): string {
    return (
      `labels must be an object of at most ${MAXIMUM_LABELS} pairs: keys of 1 to ${MAXIMUM_KEY} characters without a ` +
      `colon, values that are strings of at most ${MAXIMUM_VALUE} characters`
    );
  }
}

/** The filter `label=key:value` ends the key at the first colon. */
function isKey(key: string): boolean {
  return key.length >= 1 && key.length <= MAXIMUM_KEY && !key.includes(':');
}

function isValue(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAXIMUM_VALUE;
}

/** Takes labels: pairs of short strings, by which agents are found. */
export const LabelRules = () => applyDecorators(Verbatim(), Validate(AreLabels));

@ValidatorConstraint({ name: 'isLabelFilter' })
class IsLabelFilter implements ValidatorConstraintInterface {
  validate(filter: unknown): boolean {
    return typeof filter === 'string' && filter.indexOf(':') > 0;
  }

  defaultMessage(): string {
    return 'label must be key:value';
  }
}

/** Takes `label=key:value` of a query, once or repeated. */
export const LabelFilter = () =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? [value] : value)),
    IsArray(),
    ArrayMaxSize(MAXIMUM_LABELS),
    Validate(IsLabelFilter, { each: true }),
  );

export const LABELS_SCHEMA = {
  type: 'object',
  maxProperties: MAXIMUM_LABELS,
  propertyNames: { minLength: 1, maxLength: MAXIMUM_KEY },
  additionalProperties: { type: 'string', maxLength: MAXIMUM_VALUE },
  example: { team: 'billing' },
} as const;
