import { applyDecorators } from '@nestjs/common';
import { ArrayMaxSize, length, Matches, MaxLength, maxLength } from 'class-validator';
import { isRecord } from './json-record.js';
import { Repeatable } from './list-fields.js';
import { AnyJson } from './any-json.js';
import { documented, Rule, TextField } from './request-fields.js';
import { isWhatIsSeen, UNSEEN_CHARACTERS } from './seen-text.js';

const MAXIMUM_LABELS = 32;
const MAXIMUM_KEY = 64;
const MAXIMUM_VALUE = 128;
/** Maximum length of `key:value`. */
const MAXIMUM_PAIR = MAXIMUM_KEY + 1 + MAXIMUM_VALUE;
const PAIR = /^[^:]+:/;

function areLabels(labels: unknown): boolean {
  if (!isRecord(labels)) return false;
  const keys = Object.keys(labels);
  return keys.length <= MAXIMUM_LABELS && keys.every((key) => isKey(key) && isValue(labels[key]));
}

/**
 * Returns true for a valid label key. It has no colon, because the filter `label=key:value` ends the key at the first
 * one.
 */
function isKey(key: string): boolean {
  return length(key, 1, MAXIMUM_KEY) && !key.includes(':') && isWhatIsSeen(key);
}

function isValue(value: unknown): boolean {
  return typeof value === 'string' && maxLength(value, MAXIMUM_VALUE) && isWhatIsSeen(value);
}

/** Accepts labels: pairs of short strings, by which agents and runs are found. */
export const LabelRules = () =>
  applyDecorators(
    AnyJson(),
    Rule(
      'areLabels',
      areLabels,
      () =>
        `labels must be an object of at most ${MAXIMUM_LABELS} pairs: keys of 1 to ${MAXIMUM_KEY} characters without a ` +
        `colon, values that are strings of at most ${MAXIMUM_VALUE} characters, both without ${UNSEEN_CHARACTERS}`,
    ),
  );

export const LABELS_SCHEMA = {
  type: 'object',
  maxProperties: MAXIMUM_LABELS,
  propertyNames: { minLength: 1, maxLength: MAXIMUM_KEY },
  additionalProperties: { type: 'string', maxLength: MAXIMUM_VALUE },
  example: { team: 'billing' },
} as const;

/** Accepts the query parameter `label=key:value`, up to 32 times. */
export const LabelFilter = () =>
  documented(
    {
      optional: true,
      description:
        'Only agents with this label, as `key:value`; repeat it for several labels, all of which must match.',
      example: ['team:billing'],
    },
    { type: [String], maxItems: MAXIMUM_LABELS },
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
