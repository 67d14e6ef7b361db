import { applyDecorators } from '@nestjs/common';
import { ValidateBy } from 'class-validator';
import { AnyJson } from './request-fields.js';
import { isWhatIsSeen, UNSEEN_CHARACTERS } from './text-characters.js';

const MAXIMUM_LABELS = 32;
const MAXIMUM_KEY = 64;
const MAXIMUM_VALUE = 128;

function areLabels(labels: unknown): boolean {
  if (typeof labels !== 'object' || labels === null || Array.isArray(labels)) return false;
  const keys = Object.keys(labels);
  return keys.length <= MAXIMUM_LABELS && keys.every((key) => isKey(key) && isValue(labels[key as never]));
}

/**
 * Returns true for a valid label key. It has no colon, because the filter `label=key:value` ends the key at the first
 * one.
 */
function isKey(key: string): boolean {
  return key.length >= 1 && key.length <= MAXIMUM_KEY && !key.includes(':') && isWhatIsSeen(key);
}

function isValue(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAXIMUM_VALUE && isWhatIsSeen(value);
}

/** Accepts labels: pairs of short strings, by which agents and runs are found. */
export const LabelRules = () =>
  applyDecorators(
    AnyJson(),
    ValidateBy({
      name: 'areLabels',
      validator: {
        validate: areLabels,
        defaultMessage: () =>
          `labels must be an object of at most ${MAXIMUM_LABELS} pairs: keys of 1 to ${MAXIMUM_KEY} characters without a ` +
          `colon, values that are strings of at most ${MAXIMUM_VALUE} characters, both without ${UNSEEN_CHARACTERS}`,
      },
    }),
  );

export const LABELS_SCHEMA = {
  type: 'object',
  maxProperties: MAXIMUM_LABELS,
  propertyNames: { minLength: 1, maxLength: MAXIMUM_KEY },
  additionalProperties: { type: 'string', maxLength: MAXIMUM_VALUE },
  example: { team: 'billing' },
} as const;
